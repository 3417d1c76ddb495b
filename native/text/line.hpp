// One line of a TREC file: what may be in it, and what it is read into.
#pragma once

#include <cstddef>
#include <string_view>

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

// Whether a number may be a grade, or a score.
inline bool is_value(double value, Kind kind) {
    constexpr double most_grade = 1e290;  // berryeval.core.grade.MAX_GRADE
    return kind == Kind::run || (value <= most_grade && value >= -most_grade);
}

// Reads the line [begin, end), byte by byte.
Found read_any_line(const char* begin, const char* end, Kind kind, Row& row);

// Of what was found by our rules, what trec_eval would find, too.
Found by_rules_of_trec_eval(Found found, std::string_view line, Kind kind, Row& row);

}  // namespace berryeval::text
