#pragma once

#include "kernels/relevance.hpp"

namespace berryeval::kernels {

// `first` is the rank of the first relevant document, from 1; infinity if there is none in the
// first k.
inline double reciprocal_rank(double first) { return 1.0 / first; }

// Twin of berryeval.kernels.reciprocal_rank.
inline double reciprocal_rank(const Relevant& relevant, Cutoff k) {
    return relevant.n_found(k) > 0.0 ? reciprocal_rank(relevant.found.front().rank) : 0.0;
}

}  // namespace berryeval::kernels
