#include "text/line.hpp"

#include <cstring>

#include "text/number.hpp"
#include "text/read_line.hpp"
#include "text/white.hpp"

namespace berryeval::text {
namespace {

// Moves from column to column.
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

bool is_whole_number(std::string_view text) {
    constexpr std::size_t most_digits = 15;  // exact as a double
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    return !text.empty() && text.size() <= most_digits &&
           text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

Found read_any_line(const char* begin, const char* end, Kind kind, Row& row) {
    Columns columns(begin, end);
    row.query_id = columns.next();
    if (row.query_id.empty() || row.query_id.front() == '#') return Found::nothing;
    columns.next();  // the iteration, or Q0
    row.doc_id = columns.next();
    if (kind == Kind::run) columns.next();  // the rank
    const std::string_view text = columns.next();
    // A run has a tag, and possibly more columns; judgments have no more.
    if (text.empty() || columns.has_ended() != (kind == Kind::judgments)) return Found::wrong;
    if (!parse_number_in_line<BaselineWhite>(text, row.value)) return Found::wrong;
    return is_value(row.value, kind) ? Found::row : Found::wrong;
}

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

std::string_view query_of_line(const char* begin, const char* end) {
    const std::string_view query_id = Columns(begin, end).next();
    return query_id.starts_with('#') ? std::string_view{} : query_id;
}

const char* line_end(const char* begin, const char* end) {
    const void* const found = std::memchr(begin, '\n', static_cast<std::size_t>(end - begin));
    return found != nullptr ? static_cast<const char*>(found) : end;
}

}  // namespace berryeval::text
