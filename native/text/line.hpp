// One line of a TREC file: its valid contents, and the result of reading it.
#pragma once

#include <cstddef>
#include <string_view>

namespace berryeval::text {

inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

// This many bytes after the end of a text may be read, whatever they contain.
inline constexpr std::size_t padding = 64;

enum class Kind { judgments, run };

// The rules that a text follows. In trec_eval 9, there are no comments, judgments have no empty
// lines and only whole grades, and scores have 32 bits. Text that trec_eval would read differently
// is invalid here, and left to berryeval.trec_eval.
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
    wrong,       // any error; the reader in Python reports which
};

// The query of the line [begin, end), whatever else it contains; empty if the line is.
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

// Filters the result by our rules to what trec_eval would accept, too.
Found by_rules_of_trec_eval(Found found, std::string_view line, Kind kind, Row& row);

}  // namespace berryeval::text
