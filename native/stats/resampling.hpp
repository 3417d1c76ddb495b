// Means of resampled queries. Twin of src/berryeval/stats/_python.py, which says what is computed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace berryeval::stats {

// Values of queries x columns, row by row, and which resamples are wanted of them.
struct Request {
    const double* values;
    std::size_t n_queries;  // from 1 to most_queries
    std::size_t n_columns;
    std::uint64_t seed;
    std::uint64_t first;  // the number of the first resample
    std::size_t n_resamples;
};

// A query is counted in 32 bits, and a column drawn with as many.
inline constexpr std::size_t most_queries = 0x7fffffff;
inline constexpr std::size_t most_columns = 0x7fffffff;

// Writes the mean of each column in each resample, row by row.
void resampled_means(const Request& request, std::size_t n_threads, double* out);
void flipped_means(const Request& request, std::size_t n_threads, double* out);

// Writes one number a resample.
void permuted_ranges(const Request& request, std::size_t n_threads, double* out);

}  // namespace berryeval::stats
