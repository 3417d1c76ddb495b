// Counts of queries and documents: twins of berryeval.kernels.counts.
#pragma once

#include "kernels/relevance.hpp"

namespace berryeval::kernels {

inline double n_queries(const Ranking&) { return 1.0; }

inline double n_retrieved(const Ranking& ranking) { return n_ranks(ranking, {}); }

inline double n_relevant(const Relevant& relevant) { return relevant.n_relevant; }

inline double n_relevant_retrieved(const Relevant& relevant, Cutoff k) {
    return relevant.n_found(k);
}

// All judged documents except the relevant ones.
inline double n_nonrelevant_retrieved(const Relevant& relevant, Cutoff k) {
    return count_judged(*relevant.ranking, k) - relevant.n_found(k);
}

inline double n_unjudged_retrieved(const Ranking& ranking, Cutoff k) {
    return static_cast<double>(n_first(ranking.n_retrieved, k)) - count_judged(ranking, k);
}

}  // namespace berryeval::kernels
