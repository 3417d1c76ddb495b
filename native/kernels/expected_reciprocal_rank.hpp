#pragma once

#include <algorithm>

#include "kernels/gains.hpp"

namespace berryeval::kernels {

// Twin of berryeval.kernels.expected_reciprocal_rank.
inline double expected_reciprocal_rank(const Ranking& ranking, Cutoff k, double max_grade) {
    const double nothing = power_of_two(-max_grade);
    double going_on = 1.0;
    double total = 0.0;
    for (const Hit& hit : first(ranking.hits, k)) {
        if (hit.grade > 0.0) {
            const double satisfied =
                power_of_two(std::min(hit.grade, max_grade) - max_grade) - nothing;
            total += going_on * satisfied / hit.rank;
            going_on *= 1.0 - satisfied;
        }
    }
    return total;
}

}  // namespace berryeval::kernels
