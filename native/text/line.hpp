// One line of a TREC file. Twin of berryeval.formats.trec.iter_rows.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "text/number.hpp"
#include "text/white.hpp"

namespace berryeval::text {

inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

// As many bytes after the end of a text may be read, whatever they hold.
inline constexpr std::size_t padding = 64;

enum class Kind { judgments, run };

// Whose rules a text follows. By those of trec_eval 9 there are no comments, judgments have no
// empty lines and whole numbers for grades, and scores have 32 bits. What trec_eval would read
// in another way than we do is wrong here, and left to berryeval.trec_eval.
enum class Rules { ours, trec_eval };

struct Grammar {
    Kind kind;
    Rules rules = Rules::ours;
};

struct Row {
    std::string_view query_id;
    std::string_view doc_id;
    double value;  // the grade, or the score
};

enum class Found {
    row,
    nothing,     // an empty line, or a comment
    unfinished,  // no newline up to the end of the text
    wrong,       // anything that is an error; the reader in Python says which
};

// The query of the line [begin, end), whatever else is in it; empty if there is nothing in it.
std::string_view query_of_line(const char* begin, const char* end);

// The newline that ends the line at `begin`, or `end`.
const char* line_end(const char* begin, const char* end);

namespace lines {

inline constexpr double most_grade = 1e290;  // berryeval.core.grade.MAX_GRADE

// Walks from column to column, byte by byte.
class Columns {
public:
    Columns(const char* begin, const char* end) : at_(begin), end_(end) {}

    // The next column; empty at the end of the line.
    std::string_view next() {
        pass_white();
        const char* const begin = at_;
        while (at_ != end_ && !is_white(*at_)) ++at_;
        return {begin, static_cast<std::size_t>(at_ - begin)};
    }

    bool has_ended() {
        pass_white();
        return at_ == end_;
    }

private:
    void pass_white() {
        while (at_ != end_ && is_white(*at_)) ++at_;
    }

    const char* at_;
    const char* end_;
};

// The same for a line whose newline is within the masks: jumps from edge to edge.
class MaskedColumns {
public:
    MaskedColumns(const char* begin, const Masks& masks) : begin_(begin) {
        const std::uint64_t newline = masks.newline & -masks.newline;
        const std::uint64_t line = newline | (newline - 1);
        // Where white begins or ends; before the line all is white, and the newline is.
        edges_ = (masks.white ^ ((masks.white << 1) | 1)) & line;
    }

    std::string_view next() {
        if (edges_ == 0) return {};
        const int begin = pop_edge();
        return {begin_ + begin, static_cast<std::size_t>(pop_edge() - begin)};
    }

    bool has_ended() const { return edges_ == 0; }

private:
    int pop_edge() {
        const int edge = std::countr_zero(edges_);
        edges_ &= edges_ - 1;
        return edge;
    }

    const char* begin_;
    std::uint64_t edges_;
};

template <class AnyColumns>
Found read_columns(AnyColumns columns, Kind kind, Row& row) {
    row.query_id = columns.next();
    if (row.query_id.empty() || row.query_id.front() == '#') return Found::nothing;
    columns.next();  // the iteration, or Q0
    row.doc_id = columns.next();
    if (kind == Kind::run) columns.next();  // the rank
    const std::string_view text = columns.next();
    // A run has a tag, and whatever may follow; judgments have no more columns.
    if (text.empty() || columns.has_ended() != (kind == Kind::judgments)) return Found::wrong;
    if (!parse_number_in_line(text, row.value)) return Found::wrong;
    const bool is_grade = kind == Kind::run || std::abs(row.value) <= most_grade;
    return is_grade ? Found::row : Found::wrong;
}

// Of what was found by our rules, what trec_eval would find, too.
Found by_rules_of_trec_eval(Found found, std::string_view line, Kind kind, Row& row);

}  // namespace lines

// Inlined, for it is most of what reading a file is.
// Reads the line at `begin` of a text that goes to `end`, and sets `next` to the line after it.
// `is_end` tells that the text ends there, so that the last line needs no newline.
inline Found read_line(const char* begin, const char* end, bool is_end, Grammar grammar, Row& row,
                const char*& next) {
    const Masks masks = find_white(begin);
    const int size = std::countr_zero(masks.newline);
    const char* newline = begin + size;
    Found found = Found::wrong;
    if (size < end - begin && masks.newline != 0) {
        next = newline + 1;
        found = lines::read_columns(lines::MaskedColumns(begin, masks), grammar.kind, row);
    } else {
        newline = line_end(begin, end);
        if (newline == end && !is_end) return Found::unfinished;
        next = newline == end ? end : newline + 1;
        found = lines::read_columns(lines::Columns(begin, newline), grammar.kind, row);
    }
    if (grammar.rules == Rules::ours) [[likely]] return found;
    return lines::by_rules_of_trec_eval(found, {begin, newline}, grammar.kind, row);
}

}  // namespace berryeval::text
