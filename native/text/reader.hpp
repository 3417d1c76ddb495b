// TREC text that arrives in pieces, read into columns. Twin of berryeval.formats.rows.collect over
// berryeval.formats.trec.iter_rows.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "columns/grouping.hpp"
#include "text/line.hpp"
#include "text/pieces.hpp"

namespace berryeval::text {

class Reader {
public:
    explicit Reader(Grammar grammar) : grammar_(grammar) {}

    // False as soon as a line is invalid. Must not be called after finish().
    bool feed(std::string_view piece);
    bool finish();

    bool is_wrong() const { return is_wrong_; }
    // The number of the invalid line, from 1, and its content.
    std::size_t wrong_line() const { return line_; }
    const std::string& wrong_text() const { return wrong_text_; }

    // The rows up to the end, or up to the invalid line.
    columns::Grouping& rows() { return rows_; }
    // The number of a row's line.
    std::size_t line_of(std::size_t row) const;
    // Whether the second column of all judgments is 0 or Q0, as it usually is.
    bool has_plain_labels() const { return has_plain_labels_; }

private:
    bool scan(bool is_end);

    Grammar grammar_;
    columns::Grouping rows_;
    Pieces pieces_;
    std::size_t line_ = 0;
    // The positions of lines without a row: the row after them, and its line.
    std::vector<std::pair<std::size_t, std::size_t>> jumps_;
    bool has_plain_labels_ = true;
    bool is_wrong_ = false;
    std::string wrong_text_;
};

}  // namespace berryeval::text
