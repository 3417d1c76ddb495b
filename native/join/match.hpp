// Joins a row of retrieved ids with the row of relevant ids.
#pragma once

#include <cstddef>
#include <cstdint>

namespace berryeval::join {

inline constexpr std::int32_t padding_id = -1;

// A row of ids. Memory may be read, though not used, up to `readable` cells from its start.
struct Row {
    const std::int32_t* cells;
    std::size_t count;
    std::size_t readable;
};

// Facts about the cells of a row are bits, 64 to a word, the first cell lowest.
inline constexpr std::size_t word_bits = 64;

constexpr std::size_t words_for(std::size_t cells) { return (cells + word_bits - 1) / word_bits; }

// The lowest `count` bits; all of them from 64 on.
constexpr std::uint64_t first_bits(std::size_t count) {
    return count < word_bits ? (std::uint64_t{1} << count) - 1 : ~std::uint64_t{0};
}

// The match of one row, in memory of the caller.
struct Match {
    std::uint64_t* returned;  // a bit per retrieved cell: a document, not padding
    std::uint64_t* found;     // a bit per retrieved cell: relevant, and its first occurrence
    std::int32_t* places;     // for each relevant cell where it was found, or one of those below
    std::int32_t* slots;      // room for slots_for(relevant cells), for the hashed matcher
    std::size_t n_relevant;   // distinct ids in the relevant row
};

inline constexpr std::int32_t not_retrieved = -1;
inline constexpr std::int32_t not_a_document = -2;  // padding, or an id that was further left

using MatchRow = void (*)(const Row& retrieved, const Row& relevant, Match& match);

struct Matcher {
    MatchRow match_row;
    const char* name;  // for display: "avx2", "sse2", "neon", "scalar", "hashed"
};

// The fastest matcher on this processor; `portable` only uses the platform's baseline.
Matcher choose_matcher(bool portable);

// One for each set of instructions: every relevant id is compared with every cell.
extern const Matcher baseline_matcher;
#ifdef BERRYEVAL_HAS_AVX2
extern const Matcher avx2_matcher;
#endif

// For long rows, where comparing all pairs costs more than a hash table. The results are the same.
extern const Matcher hashed_matcher;

// Both methods take time proportional to the cells of both rows; comparing, also to the relevant
// ids.
constexpr bool pays_to_hash(std::size_t n_relevant) { return n_relevant > 128; }

constexpr std::size_t slots_for(std::size_t n_relevant) {
    std::size_t slots = 2;
    while (slots < 2 * n_relevant) slots *= 2;
    return slots;
}

}  // namespace berryeval::join
