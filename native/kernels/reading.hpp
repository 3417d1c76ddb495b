// The effort of reading: twins of berryeval.kernels.reading.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "kernels/gains.hpp"
#include "kernels/ranking.hpp"

namespace berryeval::kernels {

// Calls `use(grade, length)` for each of the first k documents. False, perhaps after some calls,
// if the length of one of them is unknown.
template <class Use>
bool for_each_sized(const Ranking& ranking, Cutoff k, const Use& use) {
    const std::size_t n_read = n_first(ranking.n_retrieved, k);
    if (ranking.lengths.size() < n_read) return false;
    auto hit = ranking.hits.begin();
    for (std::size_t i = 0; i < n_read; ++i) {
        double grade = not_in_pool;
        if (hit != ranking.hits.end() && hit->rank == i + 1) grade = (hit++)->grade;
        if (std::isnan(ranking.lengths[i])) return false;
        use(grade, ranking.lengths[i]);
    }
    return true;
}

inline double if_known(bool is_known, double value) {
    return is_known ? value : std::numeric_limits<double>::quiet_NaN();
}

// The parameters of time-biased gain; all except the probabilities are in seconds.
struct Clock {
    double halflife, scan, page, pace;
    double click, stray, save;
};

inline double time_biased_gain(const Ranking& ranking, Cutoff k, double level, const Clock& clock) {
    const double gain = clock.click * clock.save;
    double time = 0.0;
    double total = 0.0;
    const bool is_known = for_each_sized(ranking, k, [&](double grade, double length) {
        const bool is_relevant = grade >= level;
        if (is_relevant) total += gain * power_of_two(-time / clock.halflife);
        time += clock.scan +
                (clock.page + clock.pace * length) * (is_relevant ? clock.click : clock.stray);
    });
    return if_known(is_known, total);
}

// The parameters of the U-measure.
struct Trail {
    double patience, snippet, read, max_grade;
};

inline double u_measure(const Ranking& ranking, Cutoff k, const Trail& trail) {
    const double nothing = power_of_two(-trail.max_grade);
    double position = 0.0;
    double total = 0.0;
    const bool is_known = for_each_sized(ranking, k, [&](double grade, double length) {
        position += trail.snippet;
        if (!(grade > 0.0)) return;
        position += trail.read * length;
        const double gain =
            power_of_two(std::min(grade, trail.max_grade) - trail.max_grade) - nothing;
        total += gain * std::max(0.0, 1.0 - position / trail.patience);
    });
    return if_known(is_known, total);
}

inline double token_count(const Ranking& ranking, Cutoff k) {
    double total = 0.0;
    const bool is_known =
        for_each_sized(ranking, k, [&](double, double length) { total += length; });
    return if_known(is_known, total);
}

}  // namespace berryeval::kernels
