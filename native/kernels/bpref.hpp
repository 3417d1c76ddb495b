#pragma once

#include <algorithm>

#include "kernels/relevance.hpp"

namespace berryeval::kernels {

// Twin of berryeval.kernels.bpref.
inline double bpref(const Ranking& ranking, double level) {
    const double n_relevant = count_relevant(ranking.judged, level);
    if (!(n_relevant > 0.0)) return 0.0;
    const double n_nonrelevant = std::max(count_nonrelevant(ranking.judged, level),
                                          count_nonrelevant(ranking.hits, level));
    const double n_counted = std::min(n_nonrelevant, n_relevant);
    double n_above = 0.0;
    double total = 0.0;
    for (const Hit& hit : ranking.hits) {
        if (hit.grade >= level) {
            total += n_above > 0.0 ? 1.0 - std::min(n_above, n_relevant) / n_counted : 1.0;
        } else if (hit.grade >= 0.0) {
            n_above += 1.0;
        }
    }
    return total / n_relevant;
}

}  // namespace berryeval::kernels
