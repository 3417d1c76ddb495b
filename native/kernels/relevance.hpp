// Counting relevant documents, which most measures begin with.
#pragma once

#include <algorithm>
#include <span>

#include "kernels/ranking.hpp"

namespace berryeval::kernels {

// Twins of berryeval.kernels.relevance. Levels are 0 or more, so that ranks without a hit are
// never relevant. Counts are doubles, since all of them end in a division.

inline double count_relevant(std::span<const Hit> hits, double level) {
    return static_cast<double>(
        std::ranges::count_if(hits, [=](const Hit& hit) { return hit.grade >= level; }));
}

inline double count_relevant(std::span<const double> judged, double level) {
    return static_cast<double>(
        std::ranges::count_if(judged, [=](double grade) { return grade >= level; }));
}

inline double count_nonrelevant(std::span<const Hit> hits, double level) {
    return static_cast<double>(std::ranges::count_if(
        hits, [=](const Hit& hit) { return 0.0 <= hit.grade && hit.grade < level; }));
}

inline double count_nonrelevant(std::span<const double> judged, double level) {
    return static_cast<double>(
        std::ranges::count_if(judged, [=](double grade) { return 0.0 <= grade && grade < level; }));
}

inline double count_judged(std::span<const Hit> hits) { return count_relevant(hits, 0.0); }

}  // namespace berryeval::kernels
