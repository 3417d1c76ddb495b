#pragma once

#include "kernels/gains.hpp"

namespace berryeval::kernels {

// Rounding must not lift a ranking above the ideal one.
inline double ndcg(double dcg, double ideal_dcg) {
    if (!(ideal_dcg > 0.0)) return 0.0;
    const double value = dcg / ideal_dcg;
    return value < 1.0 ? value : 1.0;
}

// Twins of berryeval.kernels.ndcg. The sums are computed where the gains are read.

inline double dcg(const Gained& gained, Cutoff k) { return gained.dcg(k); }

inline double ideal_dcg(const Gained& gained, Cutoff k) { return gained.ideal_dcg(k); }

inline double ndcg(const Gained& gained, Cutoff k) {
    return ndcg(gained.dcg(k), gained.ideal_dcg(k));
}

}  // namespace berryeval::kernels
