#pragma once

#include <algorithm>

#include "kernels/gains.hpp"

namespace berryeval::kernels {

inline double total_of_first(std::span<const double> values, std::size_t count) {
    double total = 0.0;
    for (const double value : values.first(count)) total += value;
    return total;
}

// Twin of berryeval.kernels.cumulated_gain.normalised_cumulated_gain.
inline double normalised_cumulated_gain(const Gained& gained, Cutoff k) {
    const double ideal = total_of_first(gained.ideal, n_first(gained.ideal.size(), k));
    if (!(ideal > 0.0)) return 0.0;
    const double total = total_of_first(gained.gains, first(gained.ranking->hits, k).size());
    return std::min(total / ideal, 1.0);
}

}  // namespace berryeval::kernels
