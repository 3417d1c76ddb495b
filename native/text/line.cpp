#include "text/line.hpp"

#include <cstring>

namespace berryeval::text {
namespace {

bool is_whole_number(std::string_view text) {
    constexpr std::size_t most_digits = 15;  // a double holds them
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    return !text.empty() && text.size() <= most_digits &&
           text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

Found lines::by_rules_of_trec_eval(Found found, std::string_view line, Kind kind, Row& row) {
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
    const std::string_view query_id = lines::Columns(begin, end).next();
    return query_id.starts_with('#') ? std::string_view{} : query_id;
}

const char* line_end(const char* begin, const char* end) {
    const void* const found = std::memchr(begin, '\n', static_cast<std::size_t>(end - begin));
    return found != nullptr ? static_cast<const char*>(found) : end;
}

}  // namespace berryeval::text
