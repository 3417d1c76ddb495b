// Means of queries with random signs. Twin of src/berryeval/stats/_python.py, which is the
// specification.
#pragma once

#include <cstddef>
#include <cstdint>

namespace berryeval::stats {

// Values of queries x columns, row by row, and the requested resamples.
struct Request {
    const double* values;
    std::size_t n_queries;  // at least 1
    std::size_t n_columns;  // at least 1
    std::uint64_t seed;
    std::uint64_t first;  // the number of the first resample
    std::size_t n_resamples;
};

// Writes the mean of each column in each resample, row by row.
void flipped_means(const Request& request, std::size_t n_threads, double* out);

}  // namespace berryeval::stats
