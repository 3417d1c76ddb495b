#pragma once

#include "kernels/relevance.hpp"

namespace berryeval::kernels {

// Twin of berryeval.kernels.precision.precision_over: found among the first k, of k or of what
// was returned.
inline double precision(double n_found, double denominator) {
    return denominator > 0.0 ? n_found / denominator : 0.0;
}

// Twin of berryeval.kernels.precision.
inline double precision(const Ranking& ranking, Cutoff k, double level) {
    return precision(count_relevant(first(ranking, k), level), n_ranks(ranking, k));
}

}  // namespace berryeval::kernels
