#pragma once

#include <algorithm>

#include "kernels/gains.hpp"
#include "kernels/ranking.hpp"

namespace berryeval::kernels {

// Twin of berryeval.kernels.cumulated_gain.normalised_cumulated_gain.
inline double normalised_cumulated_gain(const Ranking& ranking, Cutoff k, const Gain& gain_of,
                                        Scratch& scratch) {
    const std::span<const double> gains = ideal_gains(ranking.judged, gain_of, 0.0, scratch);
    double ideal = 0.0;
    for (const double value : gains.first(k ? std::min(*k, gains.size()) : gains.size())) {
        ideal += value;
    }
    if (!(ideal > 0.0)) return 0.0;
    double total = 0.0;
    for (const Hit& hit : first(ranking, k)) total += gain(hit.grade, gain_of, 0.0);
    return std::min(total / ideal, 1.0);
}

}  // namespace berryeval::kernels
