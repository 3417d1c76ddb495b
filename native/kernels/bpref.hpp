#pragma once

#include <algorithm>

#include "kernels/relevance.hpp"

namespace berryeval::kernels {

// Twin of berryeval.kernels.bpref.
inline double bpref(const Relevant& relevant) {
    const double n_relevant = relevant.n_relevant;
    if (!(n_relevant > 0.0)) return 0.0;
    const double n_counted = std::min(relevant.n_nonrelevant, n_relevant);
    double total = 0.0;
    for (const Found& document : relevant.found) {
        const double n_above = document.n_nonrelevant_above;
        total += n_above > 0.0 ? 1.0 - std::min(n_above, n_relevant) / n_counted : 1.0;
    }
    return total / n_relevant;
}

}  // namespace berryeval::kernels
