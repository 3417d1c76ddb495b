// Measures of the C/W/L framework: twins of berryeval.kernels.user_models.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "kernels/discounts.hpp"
#include "kernels/ranking.hpp"
#include "kernels/trigamma.hpp"

namespace berryeval::kernels {

// The last rank that a reader may look at.
inline constexpr std::size_t most_ranks = 1000;

inline std::size_t last_rank(Cutoff k) { return k ? std::min(*k, most_ranks) : most_ranks; }

// The grades that gain 0 and 1.
struct GainScale {
    double min_grade;
    double max_grade;

    double span() const { return max_grade - min_grade; }
    bool gains(const Hit& hit) const { return hit.grade > min_grade; }
    // The gain of a document before scaling.
    double amount(const Hit& hit) const { return std::min(hit.grade, max_grade) - min_grade; }
};

// Calls `use(rank, amount)` for each document among the first `last` that gains something.
template <class Use>
void for_each_gaining(const Ranking& ranking, std::size_t last, const GainScale& scale,
                      const Use& use) {
    for (const Hit& hit : ranking.hits) {
        if (hit.rank > last) return;
        if (scale.gains(hit)) use(static_cast<double>(hit.rank), scale.amount(hit));
    }
}

inline double bejeweled_player_model(const Ranking& ranking, Cutoff k, double goal,
                                     const GainScale& scale) {
    const std::size_t last = last_rank(k);
    const double span = scale.span();
    double total = 0.0;
    for (const Hit& hit : ranking.hits) {
        if (hit.rank > last) break;
        if (!scale.gains(hit)) continue;
        total += scale.amount(hit);
        if (total >= goal * span) return total / span / hit.rank;
    }
    return total / span / static_cast<double>(last);
}

// The expected number of ranks that a reader of INSQ looks at.
inline double insq_ranks(double goal) {
    const double start = 2.0 * goal;
    return start * start * (trigamma(start) - trigamma(start + static_cast<double>(most_ranks)));
}

inline double insq(const Ranking& ranking, double goal, const GainScale& scale, double n_ranks) {
    const double start = 2.0 * goal;
    const double span = scale.span();
    double gained = 0.0;
    for_each_gaining(ranking, most_ranks, scale, [&](double rank, double amount) {
        const double reached = start / (start + (rank - 1.0));
        gained += amount / span * (reached * reached);
    });
    return std::min(gained / n_ranks, 1.0);
}

inline double inst(const Ranking& ranking, double goal, const GainScale& scale) {
    const double span = scale.span();
    double total = 0.0;
    double gained = 0.0;
    double seen = 1.0;
    double n_seen = 1.0;
    double rank = 1.0;
    const auto pass = [&](double x, double after) {
        n_seen += seen * (x * x) * (trigamma(x + 1.0) - trigamma(after));
    };
    for (const Hit& hit : ranking.hits) {
        if (hit.rank > most_ranks) break;
        if (!scale.gains(hit)) continue;
        const double amount = scale.amount(hit);
        if (hit.rank > 1) {
            const double next_rank = hit.rank;
            const double shift = 2.0 * goal - total / span;
            const double x = rank + shift - 1.0;
            if (x <= 0.0) return std::min(gained / n_seen, 1.0);
            pass(x, next_rank + shift);
            const double reached = x / (next_rank + shift - 1.0);
            seen *= reached * reached;
            rank = next_rank;
        }
        gained += amount / span * seen;
        total += amount;
    }
    const double shift = 2.0 * goal - total / span;
    const double x = rank + shift - 1.0;
    if (x > 0.0) pass(x, static_cast<double>(most_ranks) + shift);
    return std::min(gained / n_seen, 1.0);
}

// The DCG of n documents that gain 1.
inline double full_dcg(std::size_t n_ranks, const Discounts& discounts) {
    double total = 0.0;
    for (std::size_t rank = 1; rank <= n_ranks; ++rank) total += 1.0 / discounts.log2_rank(rank);
    return total;
}

inline double scaled_dcg(const Ranking& ranking, Cutoff k, const GainScale& scale, double full,
                         const Discounts& discounts) {
    const double span = scale.span();
    double gained = 0.0;
    for_each_gaining(ranking, last_rank(k), scale, [&](double rank, double amount) {
        gained += amount / span / discounts.log2_rank(static_cast<std::size_t>(rank));
    });
    return std::min(gained / full, 1.0);
}

inline double nerr8(const Ranking& ranking, Cutoff k, const GainScale& scale) {
    const std::size_t last = last_rank(k);
    const double span = scale.span();
    double going_on = 1.0;
    double gained = 0.0;
    double n_seen = 0.0;
    double before = 0.0;
    for_each_gaining(ranking, last, scale, [&](double rank, double amount) {
        n_seen += going_on * (rank - before);
        gained += going_on * (amount / span);
        going_on *= 1.0 - amount / span;
        before = rank;
    });
    n_seen += going_on * (static_cast<double>(last) - before);
    return std::min(gained / n_seen, 1.0);
}

// The sum of 1 / rank over the first 0, 1, 2, ... ranks.
inline const std::array<double, most_ranks + 1>& harmonic_numbers() {
    static const auto numbers = [] {
        std::array<double, most_ranks + 1> sums{};
        for (std::size_t rank = 1; rank <= most_ranks; ++rank) {
            sums[rank] = sums[rank - 1] + 1.0 / static_cast<double>(rank);
        }
        return sums;
    }();
    return numbers;
}

inline double nerr9(const Ranking& ranking, Cutoff k, const GainScale& scale) {
    const auto& harmonic = harmonic_numbers();
    const std::size_t last = last_rank(k);
    const double span = scale.span();
    double going_on = 1.0;
    double gained = 0.0;
    double n_seen = 0.0;
    std::size_t before = 0;
    for_each_gaining(ranking, last, scale, [&](double rank, double amount) {
        const auto place = static_cast<std::size_t>(rank);
        n_seen += going_on * (harmonic[place] - harmonic[before]);
        gained += going_on * (amount / span) / rank;
        going_on *= 1.0 - amount / span;
        before = place;
    });
    n_seen += going_on * (harmonic[last] - harmonic[before]);
    return std::min(gained / n_seen, 1.0);
}

inline double nerr10(const Ranking& ranking, double p, const GainScale& scale) {
    const double span = scale.span();
    double going_on = 1.0;
    double before = 1.0;
    double gained = 0.0;
    double n_seen = 0.0;
    for_each_gaining(ranking, most_ranks, scale, [&](double rank, double amount) {
        const double after = std::pow(p, rank);
        n_seen += going_on * ((before - after) / (1.0 - p));
        gained += going_on * (amount / span) * std::pow(p, rank - 1.0);
        going_on *= 1.0 - amount / span;
        before = after;
    });
    n_seen += going_on * ((before - std::pow(p, static_cast<double>(most_ranks))) / (1.0 - p));
    return std::min(gained / n_seen, 1.0);
}

inline double nerr11(const Ranking& ranking, double goal, const GainScale& scale) {
    const double start = 2.0 * goal;
    const double square = start * start;
    const double span = scale.span();
    double going_on = 1.0;
    double gained = 0.0;
    double n_seen = 0.0;
    double before = trigamma(start);
    for_each_gaining(ranking, most_ranks, scale, [&](double rank, double amount) {
        const double after = trigamma(start + rank);
        n_seen += going_on * (square * (before - after));
        const double reached = start / (start + (rank - 1.0));
        gained += going_on * (amount / span) * (reached * reached);
        going_on *= 1.0 - amount / span;
        before = after;
    });
    n_seen += going_on * (square * (before - trigamma(start + static_cast<double>(most_ranks))));
    return std::min(gained / n_seen, 1.0);
}

}  // namespace berryeval::kernels
