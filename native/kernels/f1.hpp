#pragma once

#include "kernels/precision.hpp"
#include "kernels/recall.hpp"

namespace berryeval::kernels {

// Twin of berryeval.kernels.f1.harmonic_mean, of precision and recall.
inline double f1(double precision, double recall) {
    const double sum = precision + recall;
    return sum > 0.0 ? 2.0 * precision * recall / sum : 0.0;
}

// Twin of berryeval.kernels.f1.
inline double f1(const Relevant& relevant, Cutoff k) {
    return f1(precision(relevant, k), recall(relevant, k));
}

}  // namespace berryeval::kernels
