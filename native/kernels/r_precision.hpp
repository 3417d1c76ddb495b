#pragma once

#include <cmath>

#include "kernels/precision.hpp"

namespace berryeval::kernels {

// The precision at a rank that may lie beyond any ranking.
inline double precision_at_rank(const Ranking& ranking, double rank, double level) {
    const Cutoff k = rank < static_cast<double>(ranking.n_retrieved)
                         ? static_cast<std::size_t>(rank)
                         : ranking.n_retrieved;
    return precision(count_relevant(first(ranking, k), level), rank);
}

// Twin of berryeval.kernels.r_precision.
inline double r_precision(const Ranking& ranking, double level) {
    return precision_at_rank(ranking, count_relevant(ranking.judged, level), level);
}

// Twin of berryeval.kernels.r_precision.r_precision_at_multiple.
inline double r_precision_at_multiple(const Ranking& ranking, double times, double level) {
    const double rank = std::trunc(times * count_relevant(ranking.judged, level) + 0.9);
    return precision_at_rank(ranking, rank, level);
}

}  // namespace berryeval::kernels
