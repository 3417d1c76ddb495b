#pragma once

#include "kernels/precision.hpp"
#include "kernels/recall.hpp"

namespace berryeval::kernels {

// Twin of berryeval.kernels.f_beta.
inline double f_beta(const Relevant& relevant, Cutoff k, double beta) {
    const double p = precision(relevant, k);
    const double r = recall(relevant, k);
    const double weight = beta * beta;
    const double sum = weight * p + r;
    return sum > 0.0 ? (1.0 + weight) * p * r / sum : 0.0;
}

}  // namespace berryeval::kernels
