// Scoring arrays of ids: any of the metrics, at any number of cutoffs, from one match per row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace berryeval::arrays {

// In the order of METRICS in berryeval/metrics/_types.py.
enum class Metric { recall, precision, f1, hit_rate, mrr, ndcg, average_precision };
inline constexpr std::size_t n_metrics = 7;

struct Request {
    std::size_t n_rows;
    std::span<const std::int32_t> retrieved;  // n_rows rows
    std::span<const std::int32_t> relevant;   // n_rows rows
    const double* grades;                     // like `relevant`, or null: every id gains 1
    std::span<const std::size_t> ks;          // ascending, none larger than a row of `retrieved`
    std::span<const Metric> metrics;
    bool divide_by_k;                    // precision divides by k, else by the documents returned
    std::span<const double> log2_ranks;  // log2(rank + 1) from rank 1 to the last k
};

// Places are stored in 32 bits, which cannot represent columns beyond this.
inline constexpr std::size_t most_columns = std::size_t{1} << 30;

// Fills out[metric][k][row], of floats or doubles. Uses up to `n_threads`; `portable` avoids AVX2.
template <class Out>
void score(const Request& request, std::size_t n_threads, bool portable, Out* out);

}  // namespace berryeval::arrays
