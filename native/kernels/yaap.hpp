#pragma once

#include <cmath>

#include "kernels/average_precision.hpp"

namespace berryeval::kernels {

// Twin of berryeval.kernels.yaap.
inline double yaap(const Relevant& relevant) {
    if (!(relevant.n_relevant > 0.0)) return 0.0;
    const double total = precision_sum(relevant, {});
    return std::log((1.0 + total) / (1.0 + relevant.n_relevant - total));
}

}  // namespace berryeval::kernels
