#include "text/line.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>

#include "text/number.hpp"
#include "text/white.hpp"

namespace berryeval::text {
namespace {

constexpr double most_grade = 1e290;  // berryeval.core.grade.MAX_GRADE

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

bool is_whole_number(std::string_view text) {
    constexpr std::size_t most_digits = 15;  // a double holds them
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    return !text.empty() && text.size() <= most_digits &&
           text.find_first_not_of("0123456789") == std::string_view::npos;
}

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
    const std::optional<double> number = parse_number(text);
    if (!number) return Found::wrong;
    if (kind == Kind::judgments && !(std::abs(*number) <= most_grade)) return Found::wrong;
    row.value = *number;
    return Found::row;
}

// Of what was found by our rules, what trec_eval would find, too.
Found by_rules_of_trec_eval(Found found, std::string_view line, Kind kind, Row& row) {
    if (line.find('\0') != std::string_view::npos) return Found::wrong;
    if (found == Found::nothing) {
        const bool is_empty = Columns(line.data(), line.data() + line.size()).has_ended();
        return is_empty && kind == Kind::run ? Found::nothing : Found::wrong;
    }
    if (found != Found::row) return found;
    if (kind == Kind::run) {
        row.value = static_cast<double>(static_cast<float>(row.value));
        return Found::row;
    }
    Columns columns(line.data(), line.data() + line.size());
    for (int i = 0; i < 3; ++i) columns.next();
    return is_whole_number(columns.next()) ? Found::row : Found::wrong;
}

}  // namespace

Found read_line(const char* begin, const char* end, bool is_end, Grammar grammar, Row& row,
                const char*& next) {
    const Masks masks = find_white(begin);
    const int size = std::countr_zero(masks.newline);
    const char* newline = begin + size;
    Found found = Found::wrong;
    if (size < end - begin && masks.newline != 0) {
        next = newline + 1;
        found = read_columns(MaskedColumns(begin, masks), grammar.kind, row);
    } else {
        newline = line_end(begin, end);
        if (newline == end && !is_end) return Found::unfinished;
        next = newline == end ? end : newline + 1;
        found = read_columns(Columns(begin, newline), grammar.kind, row);
    }
    if (grammar.rules == Rules::ours) [[likely]] return found;
    return by_rules_of_trec_eval(found, {begin, newline}, grammar.kind, row);
}

std::string_view query_of_line(const char* begin, const char* end) {
    const std::string_view query_id = Columns(begin, end).next();
    return query_id.starts_with('#') ? std::string_view{} : query_id;
}

const char* line_end(const char* begin, const char* end) {
    const void* const found = std::memchr(begin, '\n', static_cast<std::size_t>(end - begin));
    return found != nullptr ? static_cast<const char*>(found) : end;
}

}  // namespace berryeval::text
