#pragma once

#include <array>

#include "kernels/relevance.hpp"

namespace berryeval::kernels {

// Twin of berryeval.kernels.utility.
inline double utility(const Ranking& ranking, const std::array<double, 4>& worth,
                      double n_documents, double level) {
    const double n_retrieved = static_cast<double>(ranking.n_retrieved);
    const double n_relevant = count_relevant(ranking.judged, level);
    const double n_found = count_relevant(ranking.hits, level);
    double total = worth[0] * n_found;
    total += worth[1] * (n_retrieved - n_found);
    total += worth[2] * (n_relevant - n_found);
    // Only the last of these sums can be inexact, and Python rounds the exact one, too.
    total += worth[3] * (n_documents + (n_found - n_retrieved - n_relevant));
    return total;
}

}  // namespace berryeval::kernels
