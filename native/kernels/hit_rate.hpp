#pragma once

#include "kernels/relevance.hpp"

namespace berryeval::kernels {

// Whether anything was found.
inline double hit_rate(double n_found) { return n_found > 0.0 ? 1.0 : 0.0; }

// Twin of berryeval.kernels.hit_rate.
inline double hit_rate(const Ranking& ranking, Cutoff k, double level) {
    return hit_rate(count_relevant(first(ranking, k), level));
}

}  // namespace berryeval::kernels
