// Rows of (query, document, number) in any order of queries, grouped into columns by query.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "columns/buffer.hpp"
#include "columns/hash.hpp"

namespace berryeval::columns {

enum class Duplicates { error, keep_best };

// The arguments of berryeval.core.grouped.Grouped.
struct Columns {
    Buffer<char> query_data;              // each query once, in the order of first appearance
    Buffer<std::uint64_t> query_offsets;  // where each id begins, and where the last one ends
    Buffer<std::uint64_t> starts;         // the first row of each query, and the number of rows
    Buffer<char> doc_data;                // one id per row; rows of a query in their order
    Buffer<std::uint64_t> doc_offsets;
    Buffer<double> values;
};

// Copies an id to a buffer with enough room; most ids are short.
inline void copy_id(char* to, std::string_view id) {
    const std::size_t size = id.size();
    if (size > 16) {
        std::memcpy(to, id.data(), size);
    } else if (size >= 8) {  // the two words may overlap, which is faster than a call
        std::memcpy(to + size - 8, id.data() + size - 8, 8);
        std::memcpy(to, id.data(), 8);
    } else if (size >= 4) {
        std::memcpy(to + size - 4, id.data() + size - 4, 4);
        std::memcpy(to, id.data(), 4);
    } else {
        for (std::size_t i = 0; i < size; ++i) to[i] = id[i];
    }
}

// Collects rows; the twin of berryeval.core.grouped.Grouping.
//
// Ids are copied, so the memory of the views may be released after add(). Adjacent rows of one
// query, the usual case, need no look-up.
class Grouping {
public:
    Grouping();

    void add(std::string_view query_id, std::string_view doc_id, double value) {
        if (pieces_.empty() || !are_same(query_id, current_id())) [[unlikely]]
            begin_piece(query_id);
        copy_id(doc_data_.extend(doc_id.size()), doc_id);
        doc_offsets_.push_back(doc_data_.size());
        values_.push_back(value);
    }

    // Registers a query, even if it has no rows.
    void add_query(std::string_view query_id) {
        if (pieces_.empty() || !are_same(query_id, current_id())) begin_piece(query_id);
    }

    // Reserves room for this many rows in total, and bytes of document ids; estimates are enough.
    void reserve(std::size_t n_rows, std::size_t n_bytes);

    std::size_t n_rows() const { return values_.size(); }
    std::size_t n_queries() const { return query_offsets_.size() - 1; }

    std::string_view doc_id(std::size_t row) const {
        return {doc_data_.data() + doc_offsets_[row], doc_offsets_[row + 1] - doc_offsets_[row]};
    }
    // The query of a row, in the order of add().
    std::string_view query_id_of(std::size_t row) const;

    // Index, in the order of add(), of the first row that repeats a document of its query.
    std::optional<std::size_t> first_duplicate() const;

    // With `error`, a repeated document occurs twice: check first_duplicate() before. With
    // `keep_best`, it has the higher of its values, at its first position.
    Columns columns(Duplicates duplicates) &&;

private:
    // Adjacent rows of one query, up to the first row of the next piece.
    struct Piece {
        std::uint64_t query;
        std::uint64_t first_row;
    };

    std::string_view current_id() const { return query_id(pieces_.back().query); }
    std::string_view query_id(std::size_t query) const {
        return {query_data_.data() + query_offsets_[query],
                query_offsets_[query + 1] - query_offsets_[query]};
    }
    std::uint64_t piece_end(std::size_t piece) const {
        return piece + 1 < pieces_.size() ? pieces_[piece + 1].first_row : n_rows();
    }
    bool is_in_order() const { return pieces_.size() == n_queries(); }

    void begin_piece(std::string_view query_id);
    std::uint64_t find_or_add_query(std::string_view query_id);
    void grow_table();

    // The pieces of each query, in their order: those of query q are order[starts[q]] up to
    // order[starts[q + 1]].
    struct PiecesByQuery {
        std::vector<std::uint64_t> starts, order;
    };
    PiecesByQuery pieces_by_query() const;

    Columns columns_in_order() &&;
    Columns columns_gathered() const;
    Columns with_queries() const;

    Seed seed_;
    Buffer<char> query_data_;
    Buffer<std::uint64_t> query_offsets_;
    std::vector<std::uint64_t> table_;  // of queries: half a hash, and the number plus 1; 0 is free
    std::vector<Piece> pieces_;
    Buffer<char> doc_data_;
    Buffer<std::uint64_t> doc_offsets_;
    Buffer<double> values_;
};

}  // namespace berryeval::columns
