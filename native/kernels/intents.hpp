// Which intents of a query a document serves: what intent-aware measures begin with.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "kernels/ranking.hpp"

namespace berryeval::kernels {

// The intents of one query and the documents that serve them at one level, found once for all
// kernels that ask. Twin of berryeval.kernels.intents.Intents.
struct Served {
    // Judged documents that serve the same intents. They gain alike, wherever they stand.
    struct Group {
        std::uint64_t mask;                     // of its intents; 0 if there are too many for one
        std::uint32_t first_intent, n_intents;  // in `group_intents`
        std::uint32_t head, tail;               // its first and last document, by falling id
    };

    const Ranking* ranking = nullptr;
    std::vector<double> weights;        // of each intent
    std::vector<double> n_relevant;     // judged documents that serve each intent
    double n_intents = 0.0;             // that a judged document serves
    double total = 0.0;                 // of their weights
    std::vector<std::uint32_t> served;  // the intents that each hit serves, hit by hit
    std::vector<std::size_t> starts;    // where those of each hit begin; one more
    std::vector<Group> groups;
    std::vector<std::uint32_t> group_intents;
    std::vector<std::uint32_t> next;  // the next document of the group, for each document

    void read(const Ranking& of, double level, bool wants_ideal) {
        ranking = &of;
        served.clear();
        starts.assign(1, 0);
        groups.clear();
        group_intents.clear();
        if (of.intents != nullptr) {
            read_intents(*of.intents, level, wants_ideal);
        } else {
            read_single(level, wants_ideal);
        }
        total = 0.0;
        n_intents = 0.0;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            if (n_relevant[i] > 0.0) {
                total += weights[i];
                n_intents += 1.0;
            }
        }
    }

    std::span<const std::uint32_t> of_hit(std::size_t i) const {
        return {served.data() + starts[i], served.data() + starts[i + 1]};
    }

private:
    static constexpr std::size_t most_masked = 64;

    void read_intents(const IntentGrades& intents, double level, bool wants_ideal) {
        weights.assign(intents.weights.begin(), intents.weights.end());
        n_relevant.assign(weights.size(), 0.0);
        for (const IntentGrade& part : intents.all()) {
            if (part.grade >= level) n_relevant[part.intent] += 1.0;
        }
        for (const Hit& hit : ranking->hits) {
            // A document without a grade of 0 or more serves nothing, whatever its parts are.
            if (hit.grade >= 0.0) {
                for (const IntentGrade& part : intents.of(hit.row)) {
                    if (part.grade >= level) served.push_back(part.intent);
                }
            }
            starts.push_back(served.size());
        }
        if (wants_ideal) group(intents, level);
    }

    // The query is its own intent.
    void read_single(double level, bool wants_ideal) {
        const auto count =
            std::ranges::count_if(ranking->judged, [=](double grade) { return grade >= level; });
        weights.assign(1, 1.0);
        n_relevant.assign(1, static_cast<double>(count));
        for (const Hit& hit : ranking->hits) {
            if (count > 0 && hit.grade >= level) served.push_back(0);
            starts.push_back(served.size());
        }
        if (!wants_ideal || count == 0) return;
        const auto n_documents = static_cast<std::uint32_t>(count);
        next.resize(n_documents);
        for (std::uint32_t i = 0; i < n_documents; ++i) next[i] = i + 1;
        group_intents.assign(1, 0);
        groups.push_back({1, 0, 1, 0, n_documents - 1});
    }

    void group(const IntentGrades& intents, double level) {
        const bool is_masked = weights.size() <= most_masked;
        next.resize(intents.by_id.size());
        for (std::uint32_t place = 0; place < intents.by_id.size(); ++place) {
            const auto first = static_cast<std::uint32_t>(group_intents.size());
            std::uint64_t mask = 0;
            for (const IntentGrade& part : intents.of(intents.by_id[place])) {
                if (!(part.grade >= level)) continue;
                group_intents.push_back(part.intent);
                if (is_masked) mask |= std::uint64_t{1} << part.intent;
            }
            const auto n_own = static_cast<std::uint32_t>(group_intents.size()) - first;
            if (n_own == 0) continue;
            const auto known =
                is_masked ? std::ranges::find(groups, mask, &Group::mask) : groups.end();
            if (known == groups.end()) {
                groups.push_back({mask, first, n_own, place, place});
            } else {
                group_intents.resize(first);
                next[known->tail] = place;
                known->tail = place;
            }
        }
    }
};

// What the documents of a query gain if those above them have served some of their intents.
struct Novel {
    struct Gained {
        std::size_t rank;
        double gain;
    };

    const Served* served = nullptr;
    std::vector<Gained> gains;  // of the hits that serve any intent, by rising rank
    std::vector<double> ideal;  // twin of Intents.ideal_gains, up to the rank that is asked for

    void read(const Served& of, double alpha, bool wants_ideal, Cutoff most) {
        served = &of;
        const double kept = 1.0 - alpha;
        worth_.assign(of.weights.begin(), of.weights.end());
        gains.clear();
        for (std::size_t i = 0; i < of.ranking->hits.size(); ++i) {
            const auto own = of.of_hit(i);
            if (own.empty()) continue;
            double gain = 0.0;
            for (const std::uint32_t intent : own) {
                gain += worth_[intent];
                worth_[intent] *= kept;
            }
            gains.push_back({of.ranking->hits[i].rank, gain});
        }
        ideal.clear();
        if (wants_ideal) read_ideal(kept, most);
    }

private:
    void read_ideal(double kept, Cutoff most) {
        worth_.assign(served->weights.begin(), served->weights.end());
        groups_.assign(served->groups.begin(), served->groups.end());
        while (!groups_.empty() && (!most || ideal.size() < *most)) {
            std::size_t best = 0;
            double best_gain = gain_of(groups_[0]);
            for (std::size_t i = 1; i < groups_.size(); ++i) {
                const double gain = gain_of(groups_[i]);
                if (gain > best_gain ||
                    (gain == best_gain && groups_[i].head < groups_[best].head)) {
                    best = i;
                    best_gain = gain;
                }
            }
            ideal.push_back(best_gain);
            Served::Group& chosen = groups_[best];
            for (const std::uint32_t intent : intents_of(chosen)) worth_[intent] *= kept;
            if (chosen.head == chosen.tail) {
                chosen = groups_.back();
                groups_.pop_back();
            } else {
                chosen.head = served->next[chosen.head];
            }
        }
    }

    std::span<const std::uint32_t> intents_of(const Served::Group& group) const {
        return {served->group_intents.data() + group.first_intent, group.n_intents};
    }

    double gain_of(const Served::Group& group) const {
        double gain = 0.0;
        for (const std::uint32_t intent : intents_of(group)) gain += worth_[intent];
        return gain;
    }

    std::vector<double> worth_;
    std::vector<Served::Group> groups_;
};

}  // namespace berryeval::kernels
