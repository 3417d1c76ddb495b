// Batches of an Arrow stream, put into columns by query.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "arrow/column.hpp"
#include "columns/grouping.hpp"

namespace berryeval::arrow {

// A batch may have any number of rows, and is read in parts, so that few digits are kept.
constexpr std::int64_t part_rows = 65'536;

enum class Problem { null, empty_id, number };

// The error in a row.
struct Complaint {
    Problem problem;
    std::size_t column;  // 0 query, 1 document, 2 number
    std::size_t row;     // of all batches, from 0
    double number;       // the one that was rejected
};

// Reads the rows of batches.
class Reader {
public:
    // The positions of query, document and number among the columns. `most` is the largest valid
    // number; NaN is never valid.
    Reader(const ArrowSchema& schema, const std::array<std::size_t, 3>& places, double most);

    static bool can_read(const ArrowSchema& schema, const std::array<std::size_t, 3>& places);

    // Calls take(query_id, doc_id, number) for each row in [first, last) of a batch, up to the
    // first invalid one. The views are valid as long as the batch and its digits exist.
    template <class Take>
    std::optional<Complaint> read(const ArrowArray& batch, std::int64_t first, std::int64_t last,
                                  Digits& digits, const Take& take) {
        while (first < last) {
            const auto left = static_cast<std::size_t>(last - first);
            const Chunk chunk = read_chunk(batch, first, std::min(left, chunk_rows), digits);
            for (std::size_t i = 0; i < chunk.n_good; ++i) {
                take(query_ids_[i], doc_ids_[i], values_[i]);
            }
            if (chunk.complaint) return chunk.complaint;
            first += static_cast<std::int64_t>(chunk.n_good);
        }
        return std::nullopt;
    }

private:
    struct Chunk {
        std::size_t n_good;
        std::optional<Complaint> complaint;  // about the row after these
    };

    Chunk read_chunk(const ArrowArray& batch, std::int64_t first, std::size_t n_rows,
                     Digits& digits);

    std::array<std::size_t, 3> places_;
    double most_;
    IdColumn queries_, documents_;
    NumberColumn numbers_;
    std::vector<std::string_view> query_ids_, doc_ids_;
    std::vector<double> values_;
    std::size_t n_before_ = 0;
};

// The rows of batches, put into columns by query.
class GroupingReader {
public:
    // `n_expected` is the total number of rows, 0 if unknown.
    GroupingReader(Reader reader, std::size_t n_expected)
        : reader_(std::move(reader)), n_expected_(n_expected) {}

    std::optional<Complaint> add(const ArrowArray& batch);

    columns::Grouping& grouping() { return grouping_; }

private:
    void make_room();

    Reader reader_;
    std::size_t n_expected_;
    columns::Grouping grouping_;
};

}  // namespace berryeval::arrow
