#pragma once

#include <cmath>

#include "kernels/average_precision.hpp"

namespace berryeval::kernels {

// Twin of berryeval.kernels.yaap.
inline double yaap(const Ranking& ranking, double level) {
    const double n_relevant = count_relevant(ranking.judged, level);
    if (!(n_relevant > 0.0)) return 0.0;
    const double total = precision_sum(ranking, {}, level);
    return std::log((1.0 + total) / (1.0 + n_relevant - total));
}

}  // namespace berryeval::kernels
