// The nearest token of each document to each token of a query. Twin of _nearest_by_numpy in
// src/berryeval/search/systems/late_interaction.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace berryeval::search {

// The similarities of all tokens to those of a query, and the tokens of documents.
struct TokenRequest {
    std::span<const float> similar;         // vocabulary x tokens of the query, row by row
    std::size_t n_columns;                  // tokens of the query, at least 1
    std::span<const std::uint16_t> tokens;  // of all documents, one after another
    std::span<const std::int64_t> ends;     // where the tokens of each document end; none is empty
};

// Writes the highest similarity of each document to each token of the query, row by row.
void nearest_tokens(const TokenRequest& request, float* out);

}  // namespace berryeval::search
