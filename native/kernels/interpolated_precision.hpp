#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "kernels/relevance.hpp"

namespace berryeval::kernels {

// How a share of the relevant documents becomes a number of them.
enum class RecallRounding { up, nearest };

inline double n_documents(double share, RecallRounding rounding) {
    if (rounding == RecallRounding::up) return std::trunc(share + 0.9);
    const double whole = std::floor(share);
    return share - whole >= 0.5 ? whole + 1.0 : whole;
}

// Twin of berryeval.kernels.interpolated_precision. Between relevant documents precision falls,
// so that the highest one is at one of them.
inline double interpolated_precision(const Ranking& ranking, double recall, double level,
                                     RecallRounding rounding) {
    const double wanted = n_documents(recall * count_relevant(ranking.judged, level), rounding);
    double n_found = 0.0;
    double best = 0.0;
    for (const Hit& hit : ranking.hits) {
        if (hit.grade >= level) {
            n_found += 1.0;
            if (n_found >= wanted) best = std::max(best, n_found / hit.rank);
        }
    }
    return best;
}

// Twin of berryeval.kernels.interpolated_precision.average_over_points.
inline double average_over_points(const Ranking& ranking, std::span<const double> points,
                                  double level, RecallRounding rounding) {
    double total = 0.0;
    for (std::size_t i = points.size(); i > 0; --i) {
        total += interpolated_precision(ranking, points[i - 1], level, rounding);
    }
    return total / static_cast<double>(points.size());
}

// Twin of berryeval.kernels.interpolated_precision.eleven_point_average.
inline double eleven_point_average(const Ranking& ranking, double level, RecallRounding rounding) {
    static constexpr double points[] = {0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0};
    return average_over_points(ranking, points, level, rounding);
}

}  // namespace berryeval::kernels
