// The algorithm of every MatchRow except the hashed one, for any kind of block.
//
// This file has only templates over `Block`: it is compiled once for each set of instructions,
// and a shared inline function could end up with the wrong one.
//
// No branch depends on the matches, since a processor cannot predict which of the relevant ids
// were retrieved.
#pragma once

#include <bit>

#include "join/blocks.hpp"
#include "join/match.hpp"

namespace berryeval::join {

// Up to 64 cells of a row, prepared for comparison with many ids.
template <class Block>
class Word {
public:
    Word(Row row, std::size_t start)
        : count_(row.count - start < word_bits ? row.count - start : word_bits),
          all_(first_bits(count_)),
          cells_(row.readable - start < needed() ? copy(row, start) : row.cells + start),
          low_(cells_),
          high_(count_ > block_cells ? cells_ + block_cells : cells_) {}

    // Bit i: cell i contains `id`.
    std::uint64_t equal(std::int32_t id) const {
        std::uint64_t bits = low_.equal(id);
        if (count_ > block_cells) bits |= static_cast<std::uint64_t>(high_.equal(id)) << 32;
        return bits & all_;
    }

    // Bit i: cell i contains a document.
    std::uint64_t documents() const { return all_ & ~equal(padding_id); }

private:
    std::size_t needed() const { return count_ > block_cells ? 2 * block_cells : block_cells; }

    // Near the end of the array, where a block would reach past it.
    const std::int32_t* copy(Row row, std::size_t start) {
        for (std::size_t i = 0; i < count_; ++i) copy_[i] = row.cells[start + i];
        for (std::size_t i = count_; i < word_bits; ++i) copy_[i] = padding_id;
        return copy_;
    }

    std::size_t count_;
    std::uint64_t all_;
    std::int32_t copy_[word_bits];
    const std::int32_t* cells_;
    Block low_;
    Block high_;
};

template <class Block>
void match_row(const Row& retrieved_row, const Row& relevant_row, Match& match) {
    const Row retrieved = retrieved_row;  // copies, which cannot alias memory that is written
    const Row relevant = relevant_row;
    for (std::size_t j = 0; j < relevant.count; ++j) {
        match.places[j] = relevant.cells[j] == padding_id ? not_a_document : not_retrieved;
    }
    for (std::size_t start = 0; start < relevant.count; start += word_bits) {
        const Word<Block> word(relevant, start);
        for (std::size_t j = start + 1; j < relevant.count; ++j) {
            const bool is_repeat = (word.equal(relevant.cells[j]) & first_bits(j - start)) != 0;
            match.places[j] = is_repeat ? not_a_document : match.places[j];
        }
    }
    match.n_relevant = 0;
    for (std::size_t j = 0; j < relevant.count; ++j) {
        match.n_relevant += match.places[j] == not_retrieved;
    }
    for (std::size_t start = 0; start < retrieved.count; start += word_bits) {
        const Word<Block> word(retrieved, start);
        std::uint64_t found = 0;
        for (std::size_t j = 0; j < relevant.count; ++j) {
            const bool is_wanted = match.places[j] == not_retrieved;
            const std::uint64_t bits =
                word.equal(relevant.cells[j]) & (std::uint64_t{0} - is_wanted);
            found |= bits & (~bits + 1);
            const std::int32_t place = static_cast<std::int32_t>(start) + std::countr_zero(bits);
            const std::int32_t is_found = -static_cast<std::int32_t>(bits != 0);
            match.places[j] = (place & is_found) | (match.places[j] & ~is_found);
        }
        match.found[start / word_bits] = found;
        match.returned[start / word_bits] = word.documents();
    }
}

}  // namespace berryeval::join
