#pragma once

#include <limits>

#include "kernels/ranking.hpp"

namespace berryeval::kernels {

// `first` is the rank of the first relevant document, from 1; infinity where the first k hold
// none.
inline double reciprocal_rank(double first) { return 1.0 / first; }

// Twin of berryeval.kernels.reciprocal_rank.
inline double reciprocal_rank(const Ranking& ranking, Cutoff k, double level) {
    for (const Hit& hit : first(ranking, k)) {
        if (hit.grade >= level) return reciprocal_rank(hit.rank);
    }
    return reciprocal_rank(std::numeric_limits<double>::infinity());
}

}  // namespace berryeval::kernels
