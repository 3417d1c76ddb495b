#include "engine/pool.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "threads.hpp"

namespace berryeval::engine {
namespace {

constexpr double unjudged = -2.0;  // berryeval.kernels.relevance.UNJUDGED
constexpr std::size_t rows_worth_a_thread = 50'000;

std::uint64_t hash_of(std::string_view id) { return columns::hash_id(id, columns::process_seed()); }

// At most two thirds of them are used.
std::size_t n_slots(std::size_t n_rows) { return std::bit_ceil(n_rows + n_rows / 2 + 1); }

// Of 64 bits. At most one bit in sixteen is set.
std::size_t n_words(std::size_t n_rows) { return std::bit_ceil(n_rows / 4 + 1); }

}  // namespace

double Pool::usable(double grade) { return grade >= 0.0 ? grade : unjudged; }

Pool::Pool(const Grouped& judgments, std::size_t first, std::size_t last, const Room& room)
    : judgments_(&judgments),
      first_(first),
      slots_(room.slots.data()),
      mask_(room.slots.size() - 1),
      filter_(room.filter.data()),
      last_word_(room.filter.size() - 1) {
    std::size_t n_judged = 0;
    for (std::size_t row = first; row < last; ++row) {
        const std::uint64_t hash = hash_of(judgments.doc_ids[row]);
        std::size_t i = hash & mask_;
        while (room.slots[i].number != 0) i = (i + 1) & mask_;
        room.slots[i] = {static_cast<std::uint32_t>(hash >> 32),
                         static_cast<std::uint32_t>(row - first + 1)};
        room.filter[word_of(hash)] |= std::uint64_t{1} << (hash % 64);
        if (judgments.values[row] >= 0.0) room.judged[n_judged++] = judgments.values[row];
    }
    std::sort(room.judged, room.judged + n_judged, std::greater<>());
    judged_ = {room.judged, n_judged};
}

DocumentTable::DocumentTable(const IdColumn& doc_ids)
    : doc_ids_(doc_ids), slots_(n_slots(doc_ids.size())) {
    for (std::size_t row = 0; row < doc_ids.size(); ++row) {
        const std::uint64_t hash = hash_of(doc_ids[row]);
        Pool::Slot& slot = slots_[place_of(doc_ids[row], hash)];
        if (slot.number == 0) {
            slot = {static_cast<std::uint32_t>(hash >> 32), static_cast<std::uint32_t>(row + 1)};
        }
    }
}

bool DocumentTable::contains(std::string_view doc_id, std::uint64_t hash) const {
    return slots_[place_of(doc_id, hash)].number != 0;
}

std::optional<std::size_t> DocumentTable::row_of(std::string_view doc_id,
                                                 std::uint64_t hash) const {
    const Pool::Slot& slot = slots_[place_of(doc_id, hash)];
    if (slot.number == 0) return std::nullopt;
    return slot.number - 1;
}

std::size_t DocumentTable::place_of(std::string_view doc_id, std::uint64_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = hash & mask;
    while (slots_[i].number != 0 && (slots_[i].tag != static_cast<std::uint32_t>(hash >> 32) ||
                                     !columns::are_same(doc_ids_[slots_[i].number - 1], doc_id))) {
        i = (i + 1) & mask;
    }
    return i;
}

Pools::Pools(const Grouped& judgments, std::size_t n_threads)
    : judgments_(judgments),
      order_(judgments.query_ids.size()),
      judged_(judgments.values.size()),
      pools_(judgments.query_ids.size()) {
    constexpr std::size_t most_numbers = std::numeric_limits<std::uint32_t>::max();
    if (std::max(size(), judgments.values.size()) >= most_numbers) {
        throw std::length_error("more than 2^32 - 2 judgments");
    }
    sort_queries();
    make_table();
    std::vector<std::size_t> first_slot(size() + 1), first_word(size() + 1),
        first_judged(size() + 1);
    const auto n_rows = [this](std::size_t number) {
        return judgments_.starts[order_[number] + 1] - judgments_.starts[order_[number]];
    };
    for (std::size_t number = 0; number < size(); ++number) {
        first_slot[number + 1] = first_slot[number] + n_slots(n_rows(number));
        first_word[number + 1] = first_word[number] + n_words(n_rows(number));
        first_judged[number + 1] = first_judged[number] + n_rows(number);
    }
    slots_.resize(first_slot.back());
    filter_.resize(first_word.back());
    const std::size_t most = judgments.values.size() / rows_worth_a_thread + 1;
    share_out_rows(
        size(), std::min(n_threads, most), [&](std::size_t, std::size_t first, std::size_t last) {
            for (std::size_t number = first; number < last; ++number) {
                const std::uint64_t row = judgments_.starts[order_[number]];
                const Pool::Room room{
                    {slots_.data() + first_slot[number], slots_.data() + first_slot[number + 1]},
                    {filter_.data() + first_word[number], filter_.data() + first_word[number + 1]},
                    judged_.data() + first_judged[number]};
                pools_[number] = Pool(judgments_, row, row + n_rows(number), room);
            }
        });
}

void Pools::sort_queries() {
    std::iota(order_.begin(), order_.end(), std::uint64_t{0});
    const auto is_before = [this](std::uint64_t a, std::uint64_t b) {
        return judgments_.query_ids[a] < judgments_.query_ids[b];
    };
    if (!std::is_sorted(order_.begin(), order_.end(), is_before)) {
        std::sort(order_.begin(), order_.end(), is_before);
    }
}

void Pools::make_table() {
    table_.resize(n_slots(size()));
    const std::size_t mask = table_.size() - 1;
    for (std::size_t number = 0; number < size(); ++number) {
        std::size_t i = hash_of(judgments_.query_ids[order_[number]]) & mask;
        while (table_[i] != 0) i = (i + 1) & mask;
        table_[i] = static_cast<std::uint32_t>(number + 1);
    }
}

std::optional<std::size_t> Pools::find(std::string_view query_id) const {
    const std::size_t mask = table_.size() - 1;
    for (std::size_t i = hash_of(query_id) & mask; table_[i] != 0; i = (i + 1) & mask) {
        const std::size_t number = table_[i] - 1;
        if (judgments_.query_ids[order_[number]] == query_id) return number;
    }
    return std::nullopt;
}

const DocumentTable& Pools::documents() const {
    std::call_once(is_collected_, [this] { documents_.emplace(judgments_.doc_ids); });
    return *documents_;
}

}  // namespace berryeval::engine
