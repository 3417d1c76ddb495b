// Counts of queries and documents: twins of berryeval.kernels.counts.
#pragma once

#include "kernels/relevance.hpp"

namespace berryeval::kernels {

inline double n_queries(const Ranking&) { return 1.0; }

inline double n_retrieved(const Ranking& ranking) {
    return static_cast<double>(ranking.n_retrieved);
}

inline double n_relevant(const Ranking& ranking, double level) {
    return count_relevant(ranking.judged, level);
}

inline double n_relevant_retrieved(const Ranking& ranking, Cutoff k, double level) {
    return count_relevant(first(ranking, k), level);
}

inline double n_nonrelevant_retrieved(const Ranking& ranking, Cutoff k, double level) {
    return count_nonrelevant(first(ranking, k), level);
}

}  // namespace berryeval::kernels
