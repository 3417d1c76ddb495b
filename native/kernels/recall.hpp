#pragma once

#include "kernels/relevance.hpp"

namespace berryeval::kernels {

// Found among the first k, divided by all that are relevant.
inline double recall(double n_found, double n_relevant) {
    return n_relevant > 0.0 ? n_found / n_relevant : 0.0;
}

// Twin of berryeval.kernels.recall.
inline double recall(const Relevant& relevant, Cutoff k) {
    return recall(relevant.n_found(k), relevant.n_relevant);
}

}  // namespace berryeval::kernels
