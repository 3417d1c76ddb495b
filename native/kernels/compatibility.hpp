#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "kernels/ranking.hpp"

namespace berryeval::kernels {

// Twin of berryeval.kernels.compatibility.
inline double compatibility(const Ranking& ranking, double p, bool normalise) {
    const auto ideal = ranking.judged.first(static_cast<std::size_t>(
        std::ranges::count_if(ranking.judged, [](double grade) { return grade > 0.0; })));
    if (ideal.empty()) return 0.0;
    const std::size_t depth = std::max(ranking.n_retrieved, ideal.size());
    // How many documents are shared from each depth on; and how many documents of each grade were
    // met, by the position of the grade's first document in the ideal ranking.
    std::vector<double> shared_from(depth + 1);
    std::vector<std::size_t> n_met(ideal.size());
    for (const Hit& hit : ranking.hits) {
        if (!(hit.grade > 0.0)) continue;
        const auto first = static_cast<std::size_t>(
            std::ranges::lower_bound(ideal, hit.grade, std::greater<>()) - ideal.begin());
        if (first == ideal.size() || ideal[first] != hit.grade) continue;  // no judged grade
        const std::size_t ideal_rank = first + ++n_met[first];
        shared_from[std::min(std::max<std::size_t>(hit.rank, ideal_rank), depth)] += 1.0;
    }
    double shared = 0.0;
    double best = 0.0;
    double weights = 0.0;
    double weight = 1.0;
    double n_shared = 0.0;
    const double n_ideal = static_cast<double>(ideal.size());
    for (std::size_t i = 1; i <= depth; ++i) {
        const double d = static_cast<double>(i);
        n_shared += shared_from[i];
        shared += weight * n_shared / d;
        best += weight * std::min(d, n_ideal) / d;
        weights += weight;
        weight *= p;
    }
    return std::min(shared / (normalise ? best : weights), 1.0);
}

}  // namespace berryeval::kernels
