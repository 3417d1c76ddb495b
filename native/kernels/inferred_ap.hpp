#pragma once

#include "kernels/relevance.hpp"

namespace berryeval::kernels {

// Twin of berryeval.kernels.inferred_ap.inferred_average_precision.
inline double inferred_average_precision(const Relevant& relevant) {
    constexpr double epsilon = 1e-5;
    if (!(relevant.n_relevant > 0.0)) return 0.0;
    double n_found = 0.0;
    double total = 0.0;
    for (const Found& document : relevant.found) {
        const double rank = document.rank;
        if (rank == 1.0) {
            total += 1.0;
        } else {
            const double n_above = rank - 1.0;
            const double n_judged = n_found + document.n_nonrelevant_above;
            const double in_pool = (n_judged + document.n_unjudged_above) / n_above;
            const double share = (n_found + epsilon) / (n_judged + 2.0 * epsilon);
            total += 1.0 / rank + (n_above / rank) * in_pool * share;
        }
        n_found += 1.0;
    }
    return total / relevant.n_relevant;
}

}  // namespace berryeval::kernels
