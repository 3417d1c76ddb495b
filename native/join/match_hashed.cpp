// The join by a hash table of the relevant ids: open addressing, at most half full.
#include <algorithm>
#include <bit>

#include "join/match.hpp"

namespace berryeval::join {
namespace {

constexpr std::int32_t empty_slot = -1;

class ColumnOfId {
public:
    ColumnOfId(Row relevant, std::int32_t* slots)
        : relevant_(relevant), slots_(slots), n_slots_(slots_for(relevant.count)) {
        std::fill_n(slots_, n_slots_, empty_slot);
    }

    // The slot that holds the column of `id`, or the empty one where it belongs.
    std::int32_t& slot_of(std::int32_t id) {
        // Fibonacci hashing: the upper bits of the product are well spread.
        const std::uint32_t product = static_cast<std::uint32_t>(id) * 2654435769u;
        std::size_t slot = product >> (32 - std::countr_zero(n_slots_));
        while (slots_[slot] != empty_slot && relevant_.cells[slots_[slot]] != id) {
            slot = (slot + 1) & (n_slots_ - 1);
        }
        return slots_[slot];
    }

private:
    Row relevant_;
    std::int32_t* slots_;
    std::size_t n_slots_;
};

void match_row_hashed(const Row& retrieved, const Row& relevant, Match& match) {
    ColumnOfId columns(relevant, match.slots);
    match.n_relevant = 0;
    for (std::size_t j = 0; j < relevant.count; ++j) {
        match.places[j] = not_a_document;
        if (relevant.cells[j] == padding_id) continue;
        std::int32_t& slot = columns.slot_of(relevant.cells[j]);
        if (slot != empty_slot) continue;
        slot = static_cast<std::int32_t>(j);
        match.places[j] = not_retrieved;
        ++match.n_relevant;
    }
    std::fill_n(match.returned, words_for(retrieved.count), std::uint64_t{0});
    std::fill_n(match.found, words_for(retrieved.count), std::uint64_t{0});
    for (std::size_t i = 0; i < retrieved.count; ++i) {
        if (retrieved.cells[i] == padding_id) continue;
        const std::uint64_t bit = std::uint64_t{1} << (i % word_bits);
        match.returned[i / word_bits] |= bit;
        const std::int32_t column = columns.slot_of(retrieved.cells[i]);
        if (column != empty_slot && match.places[column] == not_retrieved) {
            match.places[column] = static_cast<std::int32_t>(i);
            match.found[i / word_bits] |= bit;
        }
    }
}

}  // namespace

const Matcher hashed_matcher{match_row_hashed, "hashed"};

}  // namespace berryeval::join
