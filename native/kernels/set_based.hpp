// Measures of a set of documents, whose order does not count.
#pragma once

#include "kernels/precision.hpp"
#include "kernels/recall.hpp"

namespace berryeval::kernels {

// Twin of berryeval.kernels.set_based.set_average_precision: one division only.
inline double set_average_precision(const Ranking& ranking, double level) {
    const double n_found = count_relevant(ranking.hits, level);
    const double possible =
        static_cast<double>(ranking.n_retrieved) * count_relevant(ranking.judged, level);
    return possible > 0.0 ? n_found * n_found / possible : 0.0;
}

// Twin of berryeval.kernels.set_based.set_f.
inline double set_f(const Ranking& ranking, double x, double level) {
    const double p = precision(ranking, {}, level);
    const double r = recall(ranking, {}, level);
    const double sum = r + x * p;
    return sum > 0.0 ? (x + 1.0) * p * r / sum : 0.0;
}

}  // namespace berryeval::kernels
