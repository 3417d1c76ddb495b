#include "engine/strata.hpp"

#include <numeric>
#include <stdexcept>

namespace berryeval::engine {

Strata::Strata(const Pools& pools, std::span<const std::uint32_t> n_strata,
               std::span<const std::uint32_t> of_rows)
    : of_rows_(of_rows.begin(), of_rows.end()), of_pools_(pools.size()) {
    const Grouped& judgments = pools.judgments();
    if (n_strata.size() != pools.size() || of_rows.size() != judgments.values.size()) {
        throw std::invalid_argument("berryeval._native.Strata: columns do not fit");
    }
    weights_.resize(std::accumulate(n_strata.begin(), n_strata.end(), std::size_t{0}));
    std::vector<double> n_pooled;
    std::vector<double> n_sampled;
    double* weights = weights_.data();
    for (std::size_t number = 0; number < pools.size(); ++number) {
        const std::uint64_t query = pools.order()[number];
        const std::size_t first = judgments.starts[query];
        const std::size_t n_rows = judgments.starts[query + 1] - first;
        n_pooled.assign(n_strata[query], 0.0);
        n_sampled.assign(n_strata[query], 0.0);
        for (std::size_t row = first; row < first + n_rows; ++row) {
            if (of_rows_[row] >= n_strata[query]) {
                throw std::invalid_argument("berryeval._native.Strata: no such stratum");
            }
            n_pooled[of_rows_[row]] += 1.0;
            if (judgments.values[row] >= 0.0) n_sampled[of_rows_[row]] += 1.0;
        }
        for (std::size_t i = 0; i < n_strata[query]; ++i) {
            weights[i] = n_sampled[i] > 0.0 ? n_pooled[i] / n_sampled[i] : 0.0;
        }
        of_pools_[number] = {.of_rows = {of_rows_.data() + first, n_rows},
                             .grades = judgments.values.subspan(first, n_rows),
                             .weights = {weights, n_strata[query]}};
        weights += n_strata[query];
    }
}

}  // namespace berryeval::engine
