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
inline double binary_normalised_gain(const Relevant& relevant, const Discounts& discounts) {
    if (!(relevant.n_relevant > 0.0)) return 0.0;
    double total = 0.0;
    for (std::size_t i = 0; i < relevant.found.size(); ++i) {
        const std::size_t n_above = static_cast<std::size_t>(relevant.found[i].rank) - 1 - i;
        total += 1.0 / discounts.log2_rank(n_above + 1);
    }
    return total / relevant.n_relevant;
}

// Adds 1 `count` times. Below 2^52 sums of whole numbers are exact, in one step as well.
inline double add_ones(double total, std::size_t count) {
    if (total < 0x1p52 && total == std::floor(total)) return total + static_cast<double>(count);
    for (; count > 0; --count) total += 1.0;
    return total;
}

// Twin of berryeval.kernels.normalised_gain.
inline double normalised_gain(const Gained& gained) {
    const std::span<const double> ideal = gained.ideal;
    double possible = 0.0;
    for (const double value : ideal) possible += value;
    if (!(possible > 0.0)) return 0.0;
    std::size_t rank = 0;  // as far as the costs are added up
    double cost = 0.0;
    double so_far = 0.0;
    double total = 0.0;
    for (std::size_t i = 0; i < gained.gains.size(); ++i) {
        const double value = gained.gains[i];
        if (value == 0.0) continue;
        const std::size_t rank_of_value = gained.ranking->hits[i].rank;
        for (; rank < std::min(rank_of_value, ideal.size()); ++rank) {
            cost += std::max(ideal[rank], 1.0);
        }
        cost = add_ones(cost, rank_of_value - rank);
        rank = rank_of_value;
        so_far += value;
        total += value / std::log2(2.0 + std::max(cost - so_far, 0.0));
    }
    return total / possible;
}

}  // namespace berryeval::kernels
