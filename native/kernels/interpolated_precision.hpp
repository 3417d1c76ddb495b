#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "kernels/relevance.hpp"

namespace berryeval::kernels {

// How a share of the relevant documents is converted to a number of them.
enum class RecallRounding { up, nearest };

inline double n_documents(double share, RecallRounding rounding) {
    if (rounding == RecallRounding::up) return std::trunc(share + 0.9);
    const double whole = std::floor(share);
    return share - whole >= 0.5 ? whole + 1.0 : whole;
}

// Twin of berryeval.kernels.interpolated_precision. Between relevant documents, precision falls,
// so the highest one is at one of them.
inline double interpolated_precision(const Relevant& relevant, double recall,
                                     RecallRounding rounding) {
    const double wanted = n_documents(recall * relevant.n_relevant, rounding);
    double n_found = static_cast<double>(relevant.found.size());
    double best = 0.0;
    for (std::size_t i = relevant.found.size(); i > 0 && n_found >= wanted; --i) {
        best = std::max(best, n_found / relevant.found[i - 1].rank);
        n_found -= 1.0;
    }
    return best;
}

// Twin of berryeval.kernels.interpolated_precision.average_over_points.
inline double average_over_points(const Relevant& relevant, std::span<const double> points,
                                  RecallRounding rounding) {
    double total = 0.0;
    for (std::size_t i = points.size(); i > 0; --i) {
        total += interpolated_precision(relevant, points[i - 1], rounding);
    }
    return total / static_cast<double>(points.size());
}

// Twin of berryeval.kernels.interpolated_precision.eleven_point_average.
inline double eleven_point_average(const Relevant& relevant, RecallRounding rounding) {
    static constexpr double points[] = {0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0};
    return average_over_points(relevant, points, rounding);
}

}  // namespace berryeval::kernels
