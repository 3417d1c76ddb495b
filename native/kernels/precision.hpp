#pragma once

#include "kernels/relevance.hpp"

namespace berryeval::kernels {

// Twin of berryeval.kernels.precision.precision_over: found among the first k, divided by k or by
// the number of documents returned.
inline double precision(double n_found, double denominator) {
    return denominator > 0.0 ? n_found / denominator : 0.0;
}

// Twin of berryeval.kernels.precision.
inline double precision(const Relevant& relevant, Cutoff k) {
    return precision(relevant.n_found(k), n_ranks(*relevant.ranking, k));
}

}  // namespace berryeval::kernels
