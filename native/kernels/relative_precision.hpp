#pragma once

#include <algorithm>

#include "kernels/relevance.hpp"

namespace berryeval::kernels {

// Twin of berryeval.kernels.relative_precision.
inline double relative_precision(const Ranking& ranking, Cutoff k, double level) {
    const double possible = std::min(n_ranks(ranking, k), count_relevant(ranking.judged, level));
    return possible > 0.0 ? count_relevant(first(ranking, k), level) / possible : 0.0;
}

}  // namespace berryeval::kernels
