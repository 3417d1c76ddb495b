#pragma once

#include <array>

#include "kernels/relevance.hpp"

namespace berryeval::kernels {

// Twin of berryeval.kernels.utility.
inline double utility(const Relevant& relevant, const std::array<double, 4>& worth,
                      double n_documents) {
    const double n_retrieved = n_ranks(*relevant.ranking, {});
    const double n_found = relevant.n_found({});
    double total = worth[0] * n_found;
    total += worth[1] * (n_retrieved - n_found);
    total += worth[2] * (relevant.n_relevant - n_found);
    // Only the last of these sums can be inexact, and Python rounds the exact result, too.
    total += worth[3] * (n_documents + (n_found - n_retrieved - relevant.n_relevant));
    return total;
}

}  // namespace berryeval::kernels
