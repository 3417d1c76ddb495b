// nDCG averaged over several ranks.
#pragma once

#include <algorithm>
#include <span>

#include "kernels/ndcg.hpp"
#include "kernels/relevance.hpp"

namespace berryeval::kernels {

// The DCG of gains in rank order, as far as one has walked.
class RunningIdealDcg {
public:
    RunningIdealDcg(std::span<const double> gains, const Discounts& discounts)
        : gains_(gains), discounts_(discounts) {}

    // Past the last gain nothing is gained.
    double walk_to(std::size_t rank) {
        for (; rank_ < std::min(rank, gains_.size()); ++rank_) {
            total_ += discounted_gain(gains_[rank_], discounts_.log2_rank(rank_ + 1));
        }
        return total_;
    }

private:
    std::span<const double> gains_;
    const Discounts& discounts_;
    std::size_t rank_ = 0;
    double total_ = 0.0;
};

// The same of the hits of a ranking.
class RunningDcg {
public:
    RunningDcg(std::span<const Hit> hits, const Gain& gain_of, const Discounts& discounts)
        : hits_(hits), gain_of_(gain_of), discounts_(discounts) {}

    double walk_to(std::size_t rank) {
        for (; i_ < hits_.size() && hits_[i_].rank <= rank; ++i_) {
            total_ += discounted_gain(gain(hits_[i_].grade, gain_of_, 0.0),
                                      discounts_.log2_rank(hits_[i_].rank));
        }
        return total_;
    }

private:
    std::span<const Hit> hits_;
    const Gain& gain_of_;
    const Discounts& discounts_;
    std::size_t i_ = 0;
    double total_ = 0.0;
};

// Twin of berryeval.kernels.ndcg_points.ndcg_at_relevant.
inline double ndcg_at_relevant(const Ranking& ranking, const Gain& gain_of,
                               const Discounts& discounts, Scratch& scratch) {
    const std::span<const double> ideal = ideal_gains(ranking.judged, gain_of, 0.0, scratch);
    if (ideal.empty()) return 0.0;
    RunningDcg dcg(ranking.hits, gain_of, discounts);
    RunningIdealDcg ideal_dcg(ideal, discounts);
    const double n_ideal = static_cast<double>(ideal.size());
    double n_found = 0.0;
    double total = 0.0;
    for (const Hit& hit : ranking.hits) {
        if (gain(hit.grade, gain_of, 0.0) > 0.0) {
            total += dcg.walk_to(hit.rank) / ideal_dcg.walk_to(hit.rank);
            n_found += 1.0;
        }
    }
    total += (n_ideal - n_found) * dcg.walk_to(ranking.n_retrieved) /
             ideal_dcg.walk_to(ideal.size());
    return std::max(total / n_ideal, 0.0);
}

// Twin of berryeval.kernels.ndcg_points.ndcg_at_gain_levels.
inline double ndcg_at_gain_levels(const Ranking& ranking, const Gain& gain_of, double level,
                                  const Discounts& discounts, Scratch& scratch) {
    const std::span<const double> ideal = ideal_gains(ranking.judged, gain_of, 0.0, scratch);
    if (ideal.empty() || !(count_relevant(ranking.judged, level) > 0.0)) return 0.0;
    RunningDcg dcg(ranking.hits, gain_of, discounts);
    RunningIdealDcg ideal_dcg(ideal, discounts);
    double n_points = 0.0;
    double total = 0.0;
    for (std::size_t rank = 1; rank <= ideal.size(); ++rank) {
        if (rank == ideal.size() || ideal[rank] != ideal[rank - 1]) {
            total += dcg.walk_to(rank) / ideal_dcg.walk_to(rank);
            n_points += 1.0;
        }
    }
    if (ranking.n_retrieved > ideal.size() + 1) {
        total += dcg.walk_to(ranking.n_retrieved) / ideal_dcg.walk_to(ideal.size());
        n_points += 1.0;
    }
    return total / n_points;
}

}  // namespace berryeval::kernels
