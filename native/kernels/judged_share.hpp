// How much of a ranking was judged: twins of berryeval.kernels.judged_share.
#pragma once

#include "kernels/counts.hpp"
#include "kernels/ranking.hpp"

namespace berryeval::kernels {

inline double judged_share(const Ranking& ranking, Cutoff k) {
    const double n_documents = static_cast<double>(n_first(ranking.n_retrieved, k));
    return n_documents > 0.0 ? count_judged(ranking, k) / n_documents : 0.0;
}

inline double unjudged_share(const Ranking& ranking, Cutoff k) {
    const double denominator = n_ranks(ranking, k);
    return denominator > 0.0 ? n_unjudged_retrieved(ranking, k) / denominator : 0.0;
}

}  // namespace berryeval::kernels
