#pragma once

namespace berryeval::kernels {

// What a relevant document at `rank` adds, being the `n_found`-th.
inline double precision_at_found(double n_found, double rank) { return n_found / rank; }

// Twin of berryeval.kernels.average_precision.
// `precision_sum` has precision_at_found of each relevant document in the first k, in rank order.
inline double average_precision(double precision_sum, double n_relevant) {
    return n_relevant > 0.0 ? precision_sum / n_relevant : 0.0;
}

}  // namespace berryeval::kernels
