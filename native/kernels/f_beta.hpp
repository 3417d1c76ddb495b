#pragma once

#include "kernels/precision.hpp"
#include "kernels/recall.hpp"

namespace berryeval::kernels {

// Twin of berryeval.kernels.f_beta.
inline double f_beta(const Ranking& ranking, Cutoff k, double beta, double level) {
    const double p = precision(ranking, k, level);
    const double r = recall(ranking, k, level);
    const double weight = beta * beta;
    const double sum = weight * p + r;
    return sum > 0.0 ? (1.0 + weight) * p * r / sum : 0.0;
}

}  // namespace berryeval::kernels
