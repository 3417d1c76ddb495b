#pragma once

#include "kernels/relevance.hpp"

namespace berryeval::kernels {

// Twin of berryeval.kernels.pairwise_accuracy.
inline double pairwise_accuracy(const Relevant& relevant, Cutoff k) {
    double n_relevant = 0.0;
    double n_wrong = 0.0;
    for (const Found& document : relevant.first(k)) {
        n_wrong += document.rank - 1.0 - n_relevant;
        n_relevant += 1.0;
    }
    const double n_others =
        static_cast<double>(n_first(relevant.ranking->n_retrieved, k)) - n_relevant;
    if (!(n_relevant > 0.0 && n_others > 0.0)) return n_relevant > 0.0 ? 1.0 : 0.0;
    return 1.0 - n_wrong / (n_relevant * n_others);
}

}  // namespace berryeval::kernels
