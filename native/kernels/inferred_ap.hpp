#pragma once

#include "kernels/relevance.hpp"

namespace berryeval::kernels {

// Twin of berryeval.kernels.inferred_ap.inferred_average_precision.
inline double inferred_average_precision(const Ranking& ranking, double level) {
    constexpr double epsilon = 1e-5;
    const double n_relevant = count_relevant(ranking.judged, level);
    if (!(n_relevant > 0.0)) return 0.0;
    double n_found = 0.0;
    double n_nonrelevant = 0.0;
    double n_sampled_out = 0.0;
    double total = 0.0;
    for (const Hit& hit : ranking.hits) {
        if (hit.grade >= level) {
            if (hit.rank == 1) {
                total += 1.0;
            } else {
                const double rank = hit.rank;
                const double n_above = rank - 1.0;
                const double in_pool = (n_found + n_nonrelevant + n_sampled_out) / n_above;
                const double relevant =
                    (n_found + epsilon) / (n_found + n_nonrelevant + 2.0 * epsilon);
                total += 1.0 / rank + (n_above / rank) * in_pool * relevant;
            }
            n_found += 1.0;
        } else if (hit.grade >= 0.0) {
            n_nonrelevant += 1.0;
        } else {
            n_sampled_out += 1.0;
        }
    }
    return total / n_relevant;
}

}  // namespace berryeval::kernels
