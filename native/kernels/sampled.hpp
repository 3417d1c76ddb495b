// Average precision and nDCG, estimated from a stratified sample of the pool.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "kernels/discounts.hpp"
#include "kernels/gains.hpp"
#include "kernels/ranking.hpp"

namespace berryeval::kernels {

// The pool of a query by stratum. Without strata, the judged documents are one.
class SampledPool {
public:
    void read(const Ranking& of) {
        ranking_ = &of;
        strata_ = of.strata;
        const bool has_any = !of.judged.empty();
        plain_weight_ = has_any ? 1.0 : 0.0;
    }

    std::size_t n_strata() const { return strata_ == nullptr ? 1 : strata_->weights.size(); }
    double weight(std::size_t stratum) const {
        return strata_ == nullptr ? plain_weight_ : strata_->weights[stratum];
    }
    std::size_t stratum_of(const Hit& hit) const {
        return strata_ == nullptr ? 0 : strata_->of_rows[hit.row];
    }

    // Calls `visit` with the stratum and the grade of each judged document.
    template <class Visit>
    void each_judged(Visit visit) const {
        if (strata_ == nullptr) {
            for (const double grade : ranking_->judged) visit(std::size_t{0}, grade);
            return;
        }
        for (std::size_t row = 0; row < strata_->of_rows.size(); ++row) {
            if (strata_->grades[row] >= 0.0) visit(strata_->of_rows[row], strata_->grades[row]);
        }
    }

private:
    const Ranking* ranking_ = nullptr;
    const Strata* strata_ = nullptr;
    double plain_weight_ = 0.0;
};

// Smoothed as in sample_eval.pl.
inline double relevant_share(double n_relevant, double n_sampled) {
    return (n_relevant + 1e-5) / (n_sampled + 3e-5);
}

// The precision expected at each relevant document of one query at one level.
struct SampledRelevant {
    struct Expected {
        std::size_t rank;
        double precision;  // times the number of documents that this one stands for
    };

    double n_relevant = 0.0;  // estimated
    std::vector<Expected> found;

    void read(const Ranking& of, double level) {
        pool_.read(of);
        tallies_.assign(pool_.n_strata(), {});
        pool_.each_judged([&](std::size_t stratum, double grade) {
            if (grade >= level) tallies_[stratum].n_relevant += 1.0;
        });
        n_relevant = 0.0;
        for (std::size_t i = 0; i < tallies_.size(); ++i) {
            n_relevant += pool_.weight(i) * tallies_[i].n_relevant;
        }
        found.clear();
        tallies_.assign(pool_.n_strata(), {});
        for (const Hit& hit : of.hits) {
            if (hit.grade == not_in_pool) continue;
            const std::size_t stratum = pool_.stratum_of(hit);
            Tally& own = tallies_[stratum];
            if (hit.grade >= level) {
                const double precision = (1.0 + relevant_above()) / static_cast<double>(hit.rank);
                found.push_back({hit.rank, pool_.weight(stratum) * precision});
                own.n_relevant += 1.0;
            }
            own.n_above += 1.0;
            if (hit.grade >= 0.0) own.n_sampled += 1.0;
        }
    }

private:
    struct Tally {
        double n_above = 0.0;
        double n_sampled = 0.0;
        double n_relevant = 0.0;
    };

    double relevant_above() const {
        double total = 0.0;
        for (const Tally& tally : tallies_) {
            total += tally.n_above * relevant_share(tally.n_relevant, tally.n_sampled);
        }
        return total;
    }

    SampledPool pool_;
    std::vector<Tally> tallies_;
};

// Twin of berryeval.kernels.sampled.stratified_average_precision.
inline double stratified_average_precision(const SampledRelevant& relevant, Cutoff k) {
    if (!(relevant.n_relevant > 0.0)) return 0.0;
    double total = 0.0;
    for (const SampledRelevant::Expected& document : relevant.found) {
        if (k && document.rank > *k) break;
        total += document.precision;
    }
    return total / relevant.n_relevant;
}

// The estimated gains of one query's documents.
struct SampledGains {
    // The gain of the ranking up to each hit, and that of the ideal ranking up to any rank.
    const Ranking* ranking = nullptr;
    std::vector<double> gains;                          // of each hit, discounted
    std::vector<std::pair<double, std::size_t>> ideal;  // gain and number of documents, falling

    void read(const Ranking& of, const Gain& gain_of, const Discounts& discounts) {
        ranking = &of;
        pool_.read(of);
        gains.clear();
        for (const Hit& hit : of.hits) {
            gains.push_back(
                discounted_gain(gain(hit.grade, gain_of), discounts.log2_rank(hit.rank)));
        }
        read_ideal(gain_of);
    }

    double dcg(Cutoff k) const {
        const auto hits = first(ranking->hits, k);
        double total = 0.0;
        for (std::size_t stratum = 0; stratum < pool_.n_strata(); ++stratum) {
            double n_pooled = 0.0;
            double n_sampled = 0.0;
            double gained = 0.0;
            for (std::size_t i = 0; i < hits.size(); ++i) {
                if (hits[i].grade == not_in_pool || pool_.stratum_of(hits[i]) != stratum) continue;
                n_pooled += 1.0;
                if (hits[i].grade >= 0.0) n_sampled += 1.0;
                gained += gains[i];
            }
            if (n_sampled > 0.0) total += n_pooled / n_sampled * gained;
        }
        return total;
    }

    double ideal_dcg(Cutoff k, const Discounts& discounts) const {
        double total = 0.0;
        std::size_t rank = 0;
        for (const auto& [value, count] : ideal) {
            const std::size_t last = k ? std::min(rank + count, *k) : rank + count;
            while (rank < last) total += discounted_gain(value, discounts.log2_rank(++rank));
        }
        return total;
    }

private:
    // There are few gains, so a linear search is enough.
    void read_ideal(const Gain& gain_of) {
        values_.clear();
        counts_.clear();
        const std::size_t n_strata = pool_.n_strata();
        double last_grade = -1.0;
        double value = 0.0;
        pool_.each_judged([&](std::size_t stratum, double grade) {
            if (grade != last_grade) value = gain(last_grade = grade, gain_of);
            if (!(value > 0.0)) return;
            const auto known = std::ranges::lower_bound(values_, value, std::greater<>());
            const std::size_t place = static_cast<std::size_t>(known - values_.begin());
            if (known == values_.end() || *known != value) {
                values_.insert(known, value);
                counts_.insert(counts_.begin() + static_cast<std::ptrdiff_t>(place * n_strata),
                               n_strata, 0.0);
            }
            counts_[place * n_strata + stratum] += 1.0;
        });
        ideal.clear();
        for (std::size_t place = 0; place < values_.size(); ++place) {
            double count = 0.0;
            for (std::size_t stratum = 0; stratum < n_strata; ++stratum) {
                count += pool_.weight(stratum) * counts_[place * n_strata + stratum];
            }
            ideal.emplace_back(values_[place], static_cast<std::size_t>(std::floor(count + 0.5)));
        }
    }

    SampledPool pool_;
    std::vector<double> values_;  // falling
    std::vector<double> counts_;  // of judged documents, for each value by stratum
};

// Twin of berryeval.kernels.sampled.inferred_ndcg.
inline double inferred_ndcg(const SampledGains& sampled, Cutoff k, const Discounts& discounts) {
    const double ideal = sampled.ideal_dcg(k, discounts);
    return ideal > 0.0 ? sampled.dcg(k) / ideal : 0.0;
}

}  // namespace berryeval::kernels
