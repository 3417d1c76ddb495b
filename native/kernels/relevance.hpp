// The relevant documents of a query, the starting point of most measures.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "kernels/ranking.hpp"

namespace berryeval::kernels {

// A relevant document that was retrieved. Counts are doubles, since all of them end in a
// division.
struct Found {
    double rank;
    double grade;
    double n_nonrelevant_above;  // documents judged to be not relevant
    double n_unjudged_above;     // documents of the pool that were not judged
};

// The relevant documents of one query at one level, found once for all kernels that need them.
struct Relevant {
    const Ranking* ranking = nullptr;
    double n_relevant = 0.0;     // retrieved or not
    double n_nonrelevant = 0.0;  // likewise
    std::vector<Found> found;    // by rising rank

    // A level is 0 or more, so ranks without a hit are never relevant.
    void read(const Ranking& of, double level) {
        ranking = &of;
        n_relevant = static_cast<double>(
            std::ranges::count_if(of.judged, [=](double grade) { return grade >= level; }));
        found.clear();
        double n_judged_below_level = 0.0;
        double n_unjudged = 0.0;
        for (const Hit& hit : of.hits) {
            if (hit.grade >= level) {
                found.push_back(
                    {static_cast<double>(hit.rank), hit.grade, n_judged_below_level, n_unjudged});
            } else if (hit.grade >= 0.0) {
                n_judged_below_level += 1.0;
            } else {
                n_unjudged += 1.0;
            }
        }
        n_nonrelevant =
            std::max(static_cast<double>(of.judged.size()) - n_relevant, n_judged_below_level);
    }

    std::span<const Found> first(Cutoff k) const {
        if (!k) return found;
        const double last = static_cast<double>(*k);
        const auto count = std::ranges::count_if(
            found, [=](const Found& document) { return document.rank <= last; });
        return std::span(found).first(static_cast<std::size_t>(count));
    }

    double n_found(Cutoff k) const { return static_cast<double>(first(k).size()); }
};

}  // namespace berryeval::kernels
