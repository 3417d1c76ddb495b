// How much of a ranking was judged: twins of berryeval.kernels.judged_share.
#pragma once

#include "kernels/relevance.hpp"

namespace berryeval::kernels {

inline double judged_share(const Ranking& ranking, Cutoff k) {
    const std::size_t n_documents = n_first(ranking, k);
    return n_documents > 0
               ? count_judged(first(ranking, k)) / static_cast<double>(n_documents)
               : 0.0;
}

inline double unjudged_share(const Ranking& ranking, Cutoff k) {
    const double n_unjudged =
        static_cast<double>(n_first(ranking, k)) - count_judged(first(ranking, k));
    const double denominator = n_ranks(ranking, k);
    return denominator > 0.0 ? n_unjudged / denominator : 0.0;
}

}  // namespace berryeval::kernels
