#pragma once

#include <cmath>

#include "kernels/precision.hpp"

namespace berryeval::kernels {

// The precision at a rank that may lie beyond any ranking.
inline double precision_at_rank(const Relevant& relevant, double rank) {
    const std::size_t n_retrieved = relevant.ranking->n_retrieved;
    const Cutoff k =
        rank < static_cast<double>(n_retrieved) ? static_cast<std::size_t>(rank) : n_retrieved;
    return precision(relevant.n_found(k), rank);
}

// Twin of berryeval.kernels.r_precision.
inline double r_precision(const Relevant& relevant) {
    return precision_at_rank(relevant, relevant.n_relevant);
}

// Twin of berryeval.kernels.r_precision.r_precision_at_multiple.
inline double r_precision_at_multiple(const Relevant& relevant, double times) {
    return precision_at_rank(relevant, std::trunc(times * relevant.n_relevant + 0.9));
}

}  // namespace berryeval::kernels
