#pragma once

namespace berryeval::kernels {

// Twin of berryeval.kernels.f1: the harmonic mean of precision and recall.
inline double f1(double precision, double recall) {
    const double sum = precision + recall;
    return sum > 0.0 ? 2.0 * precision * recall / sum : 0.0;
}

}  // namespace berryeval::kernels
