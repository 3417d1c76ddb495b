// The lengths of documents, prepared for look-ups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "engine/pool.hpp"

namespace berryeval::engine {

// It owns neither ids nor lengths.
class Lengths {
public:
    // Throws std::invalid_argument unless there is one length per id, and std::length_error if
    // there are too many.
    Lengths(const IdColumn& doc_ids, std::span<const double> lengths);

    // NaN for a document without a length.
    double of(std::string_view doc_id, std::uint64_t hash) const {
        const auto row = table_.row_of(doc_id, hash);
        return row ? lengths_[*row] : std::numeric_limits<double>::quiet_NaN();
    }

private:
    std::span<const double> lengths_;
    DocumentTable table_;
};

// The lengths that kernels require.
struct Sizing {
    const Lengths* lengths = nullptr;  // null: none
    std::size_t n_ranks = 0;           // number of documents, from the first
};

}  // namespace berryeval::engine
