// G and binG: gains, discounted by what was not gained above them.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "kernels/discounts.hpp"
#include "kernels/gains.hpp"
#include "kernels/relevance.hpp"

namespace berryeval::kernels {

// Twin of berryeval.kernels.normalised_gain.binary_normalised_gain.
inline double binary_normalised_gain(const Ranking& ranking, double level,
                                     const Discounts& discounts) {
    const double n_relevant = count_relevant(ranking.judged, level);
    if (!(n_relevant > 0.0)) return 0.0;
    std::size_t n_found = 0;
    double total = 0.0;
    for (const Hit& hit : ranking.hits) {
        if (hit.grade >= level) {
            const std::size_t n_above = hit.rank - 1 - n_found;
            total += 1.0 / discounts.log2_rank(n_above + 1);
            ++n_found;
        }
    }
    return total / n_relevant;
}

// Adds 1 `count` times. Below 2^52 sums of whole numbers are exact, in one step as well.
inline double add_ones(double total, std::size_t count) {
    if (total < 0x1p52 && total == std::floor(total) && count < (std::size_t{1} << 52)) {
        return total + static_cast<double>(count);
    }
    for (; count > 0; --count) total += 1.0;
    return total;
}

// Twin of berryeval.kernels.normalised_gain.
inline double normalised_gain(const Ranking& ranking, const Gain& gain_of, Scratch& scratch) {
    const std::span<const double> ideal = ideal_gains(ranking.judged, gain_of, 0.0, scratch);
    double possible = 0.0;
    for (const double value : ideal) possible += value;
    if (!(possible > 0.0)) return 0.0;
    std::size_t rank = 0;  // as far as the costs are added up
    double cost = 0.0;
    double gained = 0.0;
    double total = 0.0;
    for (const Hit& hit : ranking.hits) {
        const double value = gain(hit.grade, gain_of, 0.0);
        if (value == 0.0) continue;
        for (; rank < std::min<std::size_t>(hit.rank, ideal.size()); ++rank) {
            cost += std::max(ideal[rank], 1.0);
        }
        cost = add_ones(cost, hit.rank - rank);
        rank = hit.rank;
        gained += value;
        total += value / std::log2(2.0 + std::max(cost - gained, 0.0));
    }
    return total / possible;
}

}  // namespace berryeval::kernels
