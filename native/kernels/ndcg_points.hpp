// nDCG averaged over several ranks.
#pragma once

#include <algorithm>

#include "kernels/gains.hpp"
#include "kernels/relevance.hpp"

namespace berryeval::kernels {

// Twin of berryeval.kernels.ndcg_points.ndcg_at_relevant.
inline double ndcg_at_relevant(const Gained& gained) {
    if (gained.ideal.empty()) return 0.0;
    const double n_ideal = static_cast<double>(gained.ideal.size());
    double n_found = 0.0;
    double total = 0.0;
    for (std::size_t i = 0; i < gained.gains.size(); ++i) {
        if (gained.gains[i] > 0.0) {
            total += gained.dcgs[i + 1] / gained.ideal_dcg(gained.ranking->hits[i].rank);
            n_found += 1.0;
        }
    }
    total += (n_ideal - n_found) * gained.dcgs.back() / gained.ideal_dcgs.back();
    return std::max(total / n_ideal, 0.0);
}

// Twin of berryeval.kernels.ndcg_points.ndcg_at_gain_levels.
inline double ndcg_at_gain_levels(const Gained& gained, const Relevant& relevant) {
    if (gained.ideal.empty() || !(relevant.n_relevant > 0.0)) return 0.0;
    const std::size_t n_ideal = gained.ideal.size();
    double n_points = 0.0;
    double total = 0.0;
    for (std::size_t rank = 1; rank <= n_ideal; ++rank) {
        if (rank == n_ideal || gained.ideal[rank] != gained.ideal[rank - 1]) {
            total += gained.dcg(rank) / gained.ideal_dcgs[rank];
            n_points += 1.0;
        }
    }
    if (gained.ranking->n_retrieved > n_ideal + 1) {
        total += gained.dcgs.back() / gained.ideal_dcgs.back();
        n_points += 1.0;
    }
    return total / n_points;
}

}  // namespace berryeval::kernels
