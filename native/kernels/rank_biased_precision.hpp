// Rank-biased precision. Powers of p come from repeated multiplication, as in Python.
#pragma once

#include <algorithm>
#include <optional>

#include "kernels/relevance.hpp"

namespace berryeval::kernels {

// Twin of berryeval.kernels.rank_biased_precision.
inline double rank_biased_precision(const Relevant& relevant, Cutoff k, double p,
                                    std::optional<double> max_grade) {
    double rank = 1.0;
    double seen = 1.0;
    double total = 0.0;
    for (const Found& document : relevant.first(k)) {
        for (; rank < document.rank; rank += 1.0) seen *= p;
        const double gain = max_grade ? std::min(document.grade / *max_grade, 1.0) : 1.0;
        total += gain * seen;
    }
    return (1.0 - p) * total;
}

// Twin of berryeval.kernels.rank_biased_precision.rank_biased_residual.
inline double rank_biased_residual(const Ranking& ranking, Cutoff k, double p) {
    std::size_t rank = 1;
    double seen = 1.0;
    double total = 0.0;
    const auto pass_unjudged = [&](std::size_t end) {
        for (; rank < end; ++rank) {
            total += seen;
            seen *= p;
        }
    };
    for (const Hit& hit : first(ranking.hits, k)) {
        if (hit.grade >= 0.0) {
            pass_unjudged(hit.rank);
            seen *= p;
            ++rank;
        }
    }
    pass_unjudged(n_first(ranking.n_retrieved, k) + 1);
    return std::min((1.0 - p) * total + seen, 1.0);
}

}  // namespace berryeval::kernels
