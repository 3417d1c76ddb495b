#pragma once

#include <algorithm>
#include <span>

#include "kernels/discounts.hpp"
#include "kernels/gains.hpp"
#include "kernels/ranking.hpp"

namespace berryeval::kernels {

// What a document adds to DCG. `log2_rank` is log2(rank + 1), from the table both twins share.
inline double discounted_gain(double gain, double log2_rank) { return gain / log2_rank; }

// Rounding never lifts a ranking above the ideal one.
inline double ndcg(double dcg, double ideal_dcg) {
    if (!(ideal_dcg > 0.0)) return 0.0;
    const double value = dcg / ideal_dcg;
    return value < 1.0 ? value : 1.0;
}

// Twin of berryeval.kernels.ndcg.dcg.
inline double dcg(const Ranking& ranking, Cutoff k, const Gain& gain_of, double level,
                  const Discounts& discounts) {
    double total = 0.0;
    for (const Hit& hit : first(ranking, k)) {
        total += discounted_gain(gain(hit.grade, gain_of, level), discounts.log2_rank(hit.rank));
    }
    return total;
}

// Twin of berryeval.kernels.ndcg.ideal_dcg.
inline double ideal_dcg(const Ranking& ranking, Cutoff k, const Gain& gain_of, double level,
                        const Discounts& discounts, Scratch& scratch) {
    const std::span<const double> gains = ideal_gains(ranking.judged, gain_of, level, scratch);
    const std::size_t n_gains = k ? std::min(*k, gains.size()) : gains.size();
    double total = 0.0;
    for (std::size_t i = 0; i < n_gains; ++i) {
        total += discounted_gain(gains[i], discounts.log2_rank(i + 1));
    }
    return total;
}

// Twin of berryeval.kernels.ndcg.
inline double ndcg(const Ranking& ranking, Cutoff k, const Gain& gain_of, double level,
                   const Discounts& discounts, Scratch& scratch) {
    return ndcg(dcg(ranking, k, gain_of, level, discounts),
                ideal_dcg(ranking, k, gain_of, level, discounts, scratch));
}

}  // namespace berryeval::kernels
