// Measures of a set of documents, regardless of order.
#pragma once

#include "kernels/precision.hpp"
#include "kernels/recall.hpp"

namespace berryeval::kernels {

// Twin of berryeval.kernels.set_based.set_average_precision: one division only.
inline double set_average_precision(const Relevant& relevant) {
    const double n_found = relevant.n_found({});
    const double possible = n_ranks(*relevant.ranking, {}) * relevant.n_relevant;
    return possible > 0.0 ? n_found * n_found / possible : 0.0;
}

// Twin of berryeval.kernels.set_based.set_f.
inline double set_f(const Relevant& relevant, double x) {
    const double p = precision(relevant, {});
    const double r = recall(relevant, {});
    const double sum = r + x * p;
    return sum > 0.0 ? (x + 1.0) * p * r / sum : 0.0;
}

}  // namespace berryeval::kernels
