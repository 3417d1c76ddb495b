#include "arrow/read.hpp"

#include <algorithm>
#include <cmath>

namespace berryeval::arrow {

Reader::Reader(const ArrowSchema& schema, const std::array<std::size_t, 3>& places, double most)
    : places_(places),
      most_(most),
      queries_(*schema.children[places[0]]),
      documents_(*schema.children[places[1]]),
      numbers_(*schema.children[places[2]]),
      query_ids_(chunk_rows),
      doc_ids_(chunk_rows),
      values_(chunk_rows) {}

bool Reader::can_read(const ArrowSchema& schema, const std::array<std::size_t, 3>& places) {
    return holds_ids(*schema.children[places[0]]) && holds_ids(*schema.children[places[1]]) &&
           holds_numbers(*schema.children[places[2]]);
}

Reader::Chunk Reader::read_chunk(const ArrowArray& batch, std::int64_t first, std::size_t n_rows,
                                 Digits& digits) {
    // The offset of a batch applies to its columns, too.
    const auto slice = [&](std::size_t column) {
        return Slice{batch.children[places_[column]], batch.offset + first, n_rows};
    };
    // A whole row may also be null, which its columns do not show.
    const std::size_t n_rows_there = first_null(Slice{&batch, first, n_rows});
    const std::array<std::size_t, 3> n_there = {
        std::min(queries_.read(slice(0), digits, query_ids_.data()), n_rows_there),
        documents_.read(slice(1), digits, doc_ids_.data()),
        numbers_.read(slice(2), values_.data())};
    const std::size_t end = std::min({n_there[0], n_there[1], n_there[2]});
    const std::size_t n_before = n_before_;
    for (std::size_t i = 0; i < end; ++i) {
        const bool is_number = std::abs(values_[i]) <= most_;  // NaN compares false
        if (query_ids_[i].empty() || doc_ids_[i].empty() || !is_number) [[unlikely]] {
            const std::size_t column = query_ids_[i].empty() ? 0 : doc_ids_[i].empty() ? 1 : 2;
            const Problem problem = column < 2 ? Problem::empty_id : Problem::number;
            return {i, Complaint{problem, column, n_before + i, values_[i]}};
        }
    }
    n_before_ += end;
    if (end == n_rows) return {end, std::nullopt};
    const auto column = std::find(n_there.begin(), n_there.end(), end) - n_there.begin();
    return {end, Complaint{Problem::null, static_cast<std::size_t>(column), n_before + end, 0.0}};
}

std::optional<Complaint> GroupingReader::add(const ArrowArray& batch) {
    std::optional<Complaint> complaint;
    for (std::int64_t first = 0; first < batch.length && !complaint; first += part_rows) {
        Digits digits;
        complaint =
            reader_.read(batch, first, std::min(first + part_rows, batch.length), digits,
                         [this](std::string_view query_id, std::string_view doc_id, double value) {
                             if (grouping_.n_rows() == chunk_rows) [[unlikely]]
                                 make_room();
                             grouping_.add(query_id, doc_id, value);
                         });
    }
    return complaint;
}

// The first rows show the approximate length of ids.
void GroupingReader::make_room() {
    if (n_expected_ <= chunk_rows) return;
    std::size_t n_bytes = 0;
    const std::size_t n_rows = grouping_.n_rows();
    for (std::size_t row = 0; row < n_rows; ++row) n_bytes += grouping_.doc_id(row).size();
    const double a_row = static_cast<double>(n_bytes) / static_cast<double>(n_rows);
    const double expected = static_cast<double>(n_expected_);
    grouping_.reserve(n_expected_, static_cast<std::size_t>(expected * (a_row * 1.1 + 1)));
}

}  // namespace berryeval::arrow
