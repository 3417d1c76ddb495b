// Batches of an Arrow stream, put into columns by query.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "arrow/column.hpp"
#include "columns/grouping.hpp"

namespace berryeval::arrow {

enum class Problem { null, empty_id, number };

// What is wrong with a row.
struct Complaint {
    Problem problem;
    std::size_t column;  // 0 query, 1 document, 2 number
    std::size_t row;     // of all batches, from 0
    double number;       // the one that was refused
};

class Reader {
public:
    // The places of query, document and number among the columns. `most` is the largest number
    // that is one; NaN never is.
    Reader(const ArrowSchema& schema, const std::array<std::size_t, 3>& places, double most);

    static bool can_read(const ArrowSchema& schema, const std::array<std::size_t, 3>& places);

    // How many rows to expect in all, 0 if nobody knows.
    void expect(std::size_t n_rows) { n_expected_ = n_rows; }

    // Adds the rows of a batch, up to the first that something is wrong with.
    std::optional<Complaint> add(const ArrowArray& batch);

    columns::Grouping& grouping() { return grouping_; }

private:
    std::optional<Complaint> add_chunk(const ArrowArray& batch, std::int64_t first,
                                       std::size_t n_rows);

    void make_room();

    std::size_t n_expected_ = 0;
    std::array<std::size_t, 3> places_;
    double most_;
    IdColumn queries_, documents_;
    NumberColumn numbers_;
    std::vector<std::string_view> query_ids_, doc_ids_;
    std::vector<double> values_;
    columns::Grouping grouping_;
};

}  // namespace berryeval::arrow
