#pragma once

#include <algorithm>

#include "kernels/relevance.hpp"

namespace berryeval::kernels {

// Twin of berryeval.kernels.relative_precision.
inline double relative_precision(const Relevant& relevant, Cutoff k) {
    const double possible = std::min(n_ranks(*relevant.ranking, k), relevant.n_relevant);
    return possible > 0.0 ? relevant.n_found(k) / possible : 0.0;
}

}  // namespace berryeval::kernels
