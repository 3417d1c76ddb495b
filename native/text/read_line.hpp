// Reading a line, with any way to find white space. Twin of berryeval.formats.trec.iter_rows.
//
// All of it is named after its `White`: the program may contain it once per set of
// instructions.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "text/line.hpp"
#include "text/number.hpp"
#include "text/white.hpp"

namespace berryeval::text {

// Like parse_number, for text of a file: 16 bytes from its beginning may be read, whatever its
// size. False if it is not a number. `White` has a fast path for short ones.
template <class White>
bool parse_number_in_line(std::string_view text, double& number) {
    const bool is_negative = text.starts_with('-');
    if (White::parse_short(text.data() + is_negative, text.size() - is_negative, number))
        [[likely]] {
        if (is_negative) number = -number;
        return true;
    }
    const std::optional<double> found = parse_number(text);
    if (found) number = *found;
    return found.has_value();
}

// Reads the line at `begin`, whose beginning the masks describe, if it is an ordinary row.
// Otherwise false: it has to be read in another way.
template <class White>
bool read_plain_line(const char* begin, const Masks& masks, Kind kind, Row& row) {
    // All bits up to the newline; all bits if the line is longer.
    const std::uint64_t newline = masks.newline & -masks.newline;
    const std::uint64_t line = newline | (newline - 1);
    // Where white space begins or ends; the newline, and everything before the line, is white.
    std::uint64_t edges = (masks.white ^ ((masks.white << 1) | 1)) & line;
    const auto pass_column = [&edges] {
        edges &= edges - 1;
        edges &= edges - 1;
    };
    const auto next_column = [&edges, begin] {
        const int first = std::countr_zero(edges);
        edges &= edges - 1;
        const int last = std::countr_zero(edges);
        edges &= edges - 1;
        return std::string_view(begin + first, static_cast<std::size_t>(last - first));
    };
    row.query_id = next_column();
    pass_column();  // the iteration, or Q0
    row.doc_id = next_column();
    if (kind == Kind::run) pass_column();  // the rank
    if (edges == 0) return false;
    const std::string_view value = next_column();
    // A run has a tag, and possibly more columns; judgments have no more.
    if ((edges == 0) != (kind == Kind::judgments) || row.query_id.front() == '#') return false;
    return parse_number_in_line<White>(value, row.value) && is_value(row.value, kind);
}

// Reads the line at `begin` of a text that extends to `end`, and sets `next` to the following line.
// `is_end` means that the text ends there, so the last line needs no newline.
template <class White>
Found read_line(const char* begin, const char* end, bool is_end, Kind kind, Row& row,
                const char*& next) {
    const Masks masks = White::find(begin);
    const bool is_short = masks.newline != 0;
    const char* newline = begin + std::countr_zero(masks.newline);  // or as far as the masks go
    if (newline < end && (is_short || kind == Kind::run)) [[likely]] {
        const bool is_plain = read_plain_line<White>(begin, masks, kind, row);
        if (is_plain && is_short) [[likely]] {
            next = newline + 1;
            return Found::row;
        }
        if (!is_short) newline = line_end(newline, end);
        if (is_plain && newline != end) {
            next = newline + 1;
            return Found::row;
        }
    } else {
        newline = line_end(begin, end);
    }
    if (newline == end && !is_end) return Found::unfinished;
    next = newline == end ? end : newline + 1;
    return read_any_line(begin, newline, kind, row);
}

}  // namespace berryeval::text
