// The algorithm behind every MatchRow but the hashed one, for any width of lanes.
//
// Only templates over `Lanes` stand here: the file is compiled once for each set of
// instructions, and a shared inline function could end up with the wrong one.
#pragma once

#include <bit>

#include "join/match.hpp"

namespace berryeval::join {

// Calls visit.template operator()<n>(offsets), n vectors at a time, until every cell of the row
// was in one. The last vectors overlap those before rather than reach past the row.
// The row holds at least one whole vector.
template <class Lanes, class Visit>
inline void cover(std::size_t count, const Visit& visit) {
    const auto in_groups_of = [&]<std::size_t n>() {
        for (std::size_t start = 0; start < count; start += n * Lanes::width) {
            std::size_t offsets[n];
            for (std::size_t v = 0; v < n; ++v) {
                const std::size_t last = count - Lanes::width;
                offsets[v] = start + v * Lanes::width < last ? start + v * Lanes::width : last;
            }
            visit.template operator()<n>(offsets);
        }
    };
    if (count > 2 * Lanes::width) {
        in_groups_of.template operator()<4>();
    } else {
        in_groups_of.template operator()<2>();
    }
}

// Bit i: cells[i] is one of `ids`. At most 64 cells.
template <class Lanes>
inline std::uint64_t is_any_of(const std::int32_t* cells, std::size_t count, Ids ids) {
    std::uint64_t bits = 0;
    if (count < Lanes::width) {
        for (std::size_t i = 0; i < count; ++i) {
            for (std::size_t j = 0; j < ids.count; ++j) {
                bits |= static_cast<std::uint64_t>(cells[i] == ids.cells[j]) << i;
            }
        }
        return bits;
    }
    cover<Lanes>(count, [&]<std::size_t n>(const std::size_t* offsets) {
        typename Lanes::Vector loaded[n];
        typename Lanes::Vector equal[n];
        for (std::size_t v = 0; v < n; ++v) {
            loaded[v] = Lanes::load(cells + offsets[v]);
            equal[v] = Lanes::zero();
        }
        for (std::size_t j = 0; j < ids.count; ++j) {
            const typename Lanes::Vector id = Lanes::broadcast(ids.cells[j]);
            for (std::size_t v = 0; v < n; ++v) {
                equal[v] = Lanes::either(equal[v], Lanes::equal(loaded[v], id));
            }
        }
        for (std::size_t v = 0; v < n; ++v) {
            bits |= Lanes::sign_bits(equal[v]) << offsets[v];
        }
    });
    return bits;
}

// The first cell that holds `id`, which does stand there.
template <class Lanes>
inline std::size_t first_place(Ids ids, std::int32_t id) {
    for (std::size_t start = 0;; start += word_bits) {
        const std::uint64_t bits =
            is_any_of<Lanes>(ids.cells + start, cells_in_word(ids, start), {&id, 1});
        if (bits != 0) return start + static_cast<std::size_t>(std::countr_zero(bits));
    }
}

// Whether any id other than padding stands in two cells.
template <class Lanes>
inline bool has_repeats(Ids ids) {
    std::uint64_t repeated = 0;
    if (ids.count < Lanes::width) {
        for (std::size_t i = 1; i < ids.count; ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                repeated |= ids.cells[i] == ids.cells[j] && ids.cells[i] != padding_id;
            }
        }
        return repeated != 0;
    }
    const typename Lanes::Vector padding = Lanes::broadcast(padding_id);
    const typename Lanes::Vector one = Lanes::broadcast(1);
    cover<Lanes>(ids.count, [&]<std::size_t n>(const std::size_t* offsets) {
        typename Lanes::Vector loaded[n];
        typename Lanes::Vector times[n];
        for (std::size_t v = 0; v < n; ++v) {
            loaded[v] = Lanes::load(ids.cells + offsets[v]);
            times[v] = Lanes::zero();
        }
        for (std::size_t j = 0; j < ids.count; ++j) {
            const typename Lanes::Vector id = Lanes::broadcast(ids.cells[j]);
            for (std::size_t v = 0; v < n; ++v) {
                times[v] = Lanes::subtract(times[v], Lanes::equal(loaded[v], id));
            }
        }
        for (std::size_t v = 0; v < n; ++v) {
            const std::uint64_t more_than_once = Lanes::sign_bits(Lanes::subtract(one, times[v]));
            repeated |= more_than_once & ~Lanes::sign_bits(Lanes::equal(loaded[v], padding));
        }
    });
    return repeated != 0;
}

// Bits: cells that hold a document, not padding.
template <class Lanes>
inline void find_documents(Ids ids, std::uint64_t* bits) {
    for (std::size_t start = 0; start < ids.count; start += word_bits) {
        const std::size_t count = cells_in_word(ids, start);
        const std::uint64_t padding = is_any_of<Lanes>(ids.cells + start, count, {&padding_id, 1});
        bits[start / word_bits] = first_bits(count) & ~padding;
    }
}

template <class Lanes>
void match_row(Ids retrieved, Ids relevant, const Match& match) {
    find_documents<Lanes>(retrieved, match.returned);
    find_documents<Lanes>(relevant, match.distinct);
    if (has_repeats<Lanes>(relevant)) {
        for (std::size_t j = 0; j < relevant.count; ++j) {
            if (first_place<Lanes>(relevant, relevant.cells[j]) < j) {
                match.distinct[j / word_bits] &= ~(std::uint64_t{1} << (j % word_bits));
            }
        }
    }
    for (std::size_t word = 0; word < words_for(relevant.count); ++word) match.seen[word] = 0;

    std::int32_t* next_column = match.columns;
    for (std::size_t start = 0; start < retrieved.count; start += word_bits) {
        const std::size_t word = start / word_bits;
        const std::size_t count = cells_in_word(retrieved, start);
        std::uint64_t found =
            match.returned[word] & is_any_of<Lanes>(retrieved.cells + start, count, relevant);
        for (std::uint64_t bits = found; bits != 0; bits &= bits - 1) {
            const std::int32_t id = retrieved.cells[start + std::countr_zero(bits)];
            const std::size_t column = first_place<Lanes>(relevant, id);
            const std::uint64_t bit = std::uint64_t{1} << (column % word_bits);
            if (match.seen[column / word_bits] & bit) {
                found &= ~(bits & (~bits + 1));
            } else {
                match.seen[column / word_bits] |= bit;
                *next_column++ = static_cast<std::int32_t>(column);
            }
        }
        match.found[word] = found;
    }
}

}  // namespace berryeval::join
