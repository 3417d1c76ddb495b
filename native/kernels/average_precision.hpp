#pragma once

#include "kernels/relevance.hpp"

namespace berryeval::kernels {

// The contribution of a relevant document at `rank` that is the `n_found`-th.
inline double precision_at_found(double n_found, double rank) { return n_found / rank; }

// `precision_sum` has precision_at_found of each relevant document in the first k, in rank order.
inline double average_precision(double precision_sum, double n_relevant) {
    return n_relevant > 0.0 ? precision_sum / n_relevant : 0.0;
}

// Twin of berryeval.kernels.average_precision.precision_sum.
inline double precision_sum(const Relevant& relevant, Cutoff k) {
    double n_found = 0.0;
    double total = 0.0;
    for (const Found& document : relevant.first(k)) {
        n_found += 1.0;
        total += precision_at_found(n_found, document.rank);
    }
    return total;
}

// Twin of berryeval.kernels.average_precision.
inline double average_precision(const Relevant& relevant, Cutoff k) {
    return average_precision(precision_sum(relevant, k), relevant.n_relevant);
}

}  // namespace berryeval::kernels
