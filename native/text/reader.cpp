#include "text/reader.hpp"

#include <algorithm>
#include <iterator>

#include "text/read_line.hpp"

namespace berryeval::text {
namespace {

// Whether only 0 or Q0, with one white character on each side, precedes the document.
bool is_label_plain(const Row& row) {
    const char* const begin = row.query_id.data() + row.query_id.size();
    const auto size = row.doc_id.data() - begin;
    return (size == 3 && begin[1] == '0') || (size == 4 && begin[1] == 'Q' && begin[2] == '0');
}

}  // namespace

bool Reader::feed(std::string_view piece) { return !pieces_.add(piece) || scan(false); }

bool Reader::finish() { return scan(true); }

bool Reader::scan(bool is_end) {
    const char* const end = pieces_.end();
    const char* line = pieces_.begin();
    Row row;
    const char* next = end;
    for (; line < end; line = next) {
        Found found = read_line<BaselineWhite>(line, end, is_end, grammar_.kind, row, next);
        if (found == Found::unfinished) break;
        if (grammar_.rules == Rules::trec_eval) {
            found = by_rules_of_trec_eval(found, {line, next}, grammar_.kind, row);
        }
        ++line_;
        if (found == Found::wrong) {
            is_wrong_ = true;
            wrong_text_.assign(line, next);
            return false;
        }
        if (found == Found::nothing) continue;
        const std::size_t expected =
            jumps_.empty() ? rows_.n_rows() + 1
                           : jumps_.back().second + rows_.n_rows() - jumps_.back().first;
        if (line_ != expected) jumps_.emplace_back(rows_.n_rows(), line_);
        if (grammar_.kind == Kind::judgments && !is_label_plain(row)) has_plain_labels_ = false;
        rows_.add(row.query_id, row.doc_id, row.value);
    }
    pieces_.drop_before(line);
    return true;
}

std::size_t Reader::line_of(std::size_t row) const {
    const auto after =
        std::upper_bound(jumps_.begin(), jumps_.end(), row,
                         [](std::size_t wanted, const auto& jump) { return wanted < jump.first; });
    if (after == jumps_.begin()) return row + 1;
    const auto& [first_row, line] = *std::prev(after);
    return line + row - first_row;
}

}  // namespace berryeval::text
