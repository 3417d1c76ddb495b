// The intents of a query that a document serves: the starting point of intent-aware measures.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/ranking.hpp"

namespace berryeval::kernels {

// The intents of one query and the documents that serve them at one level, found once for all
// kernels that need them. Twin of berryeval.kernels.intents.Intents.
struct Served {
    // Judged documents that serve the same intents. They gain alike at any rank.
    struct Group {
        std::uint64_t mask;                     // of its intents; 0 if there are too many
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
        // Whether a document serves an intent is hard to predict: add 0 rather than branch.
        for (const IntentGrade& part : intents.all()) {
            n_relevant[part.intent] += static_cast<double>(part.grade >= level);
        }
        for (const Hit& hit : ranking->hits) {
            // A document without a grade of 0 or more serves no intent, whatever its parts are.
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
        const std::size_t n_slots = std::bit_ceil(2 * intents.by_id.size() + 1);
        slots_.assign(is_masked ? n_slots : 1, 0);
        next.resize(intents.by_id.size());
        for (std::uint32_t place = 0; place < intents.by_id.size(); ++place) {
            const auto parts = intents.of(intents.by_id[place]);
            if (!is_masked) {  // each document is a group of its own
                add_group(0, parts, level, place);
                continue;
            }
            std::uint64_t mask = 0;
            for (const IntentGrade& part : parts) {
                mask |= static_cast<std::uint64_t>(part.grade >= level) << part.intent;
            }
            if (mask == 0) continue;
            std::uint32_t& known = slot_of(mask);
            if (known == 0) {
                add_group(mask, parts, level, place);
                known = static_cast<std::uint32_t>(groups.size());
            } else {
                Group& own = groups[known - 1];
                next[own.tail] = place;
                own.tail = place;
            }
        }
    }

    void add_group(std::uint64_t mask, std::span<const IntentGrade> parts, double level,
                   std::uint32_t place) {
        const auto first = static_cast<std::uint32_t>(group_intents.size());
        for (const IntentGrade& part : parts) {
            if (part.grade >= level) group_intents.push_back(part.intent);
        }
        const auto n_own = static_cast<std::uint32_t>(group_intents.size()) - first;
        if (n_own > 0) groups.push_back({mask, first, n_own, place, place});
    }

    // The slot with the number of the group of these intents, from 1; 0 if there is none yet.
    std::uint32_t& slot_of(std::uint64_t mask) {
        const std::size_t last = slots_.size() - 1;
        std::size_t i = (mask * 0x9E3779B97F4A7C15U >> 32) & last;
        while (slots_[i] != 0 && groups[slots_[i] - 1].mask != mask) i = (i + 1) & last;
        return slots_[i];
    }

    std::vector<std::uint32_t> slots_;  // of groups by their mask, from 1
};

// The gains of a query's documents, if those above them have served some of their intents.
struct Novel {
    struct Gained {
        std::size_t rank;
        double gain;
    };

    const Served* served = nullptr;
    std::vector<Gained> gains;  // of the hits that serve any intent, by rising rank
    std::vector<double> ideal;  // twin of Intents.ideal_gains, up to the requested rank

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
    // A group with remaining documents.
    struct Waiting {
        std::uint32_t first_intent, n_intents;
        std::uint32_t head;
        std::uint32_t group;
    };

    void read_ideal(double kept, Cutoff most) {
        worth_.assign(served->weights.begin(), served->weights.end());
        waiting_.clear();
        for (std::uint32_t i = 0; i < served->groups.size(); ++i) {
            const Served::Group& group = served->groups[i];
            waiting_.push_back({group.first_intent, group.n_intents, group.head, i});
        }
        // All gains are added up again for every rank. Groups with equally many intents are
        // adjacent, so the number of additions is predictable; which groups share an intent with
        // the last document is not, and a misprediction takes longer than a few additions.
        std::ranges::sort(waiting_, {}, &Waiting::n_intents);
        while (!waiting_.empty() && (!most || ideal.size() < *most)) {
            add_up();
            const auto best = waiting_.begin() + static_cast<std::ptrdiff_t>(find_best());
            ideal.push_back(gains_of_waiting_[static_cast<std::size_t>(best - waiting_.begin())]);
            const Served::Group& group = served->groups[best->group];
            for (const std::uint32_t intent : intents_of(group)) worth_[intent] *= kept;
            if (best->head == group.tail) {
                waiting_.erase(best);
            } else {
                best->head = served->next[best->head];
            }
        }
    }

    // The gain of the next document of each group.
    void add_up() {
        const std::uint32_t* intents = served->group_intents.data();
        const double* worth = worth_.data();
        gains_of_waiting_.resize(waiting_.size());
        for (std::size_t i = 0; i < waiting_.size(); ++i) {
            const std::uint32_t* own = intents + waiting_[i].first_intent;
            double gain = 0.0;
            for (std::uint32_t j = 0; j < waiting_[i].n_intents; ++j) gain += worth[own[j]];
            gains_of_waiting_[i] = gain;
        }
    }

    // The group that gains most; among equal ones, the one whose first document has the highest id.
    std::size_t find_best() const {
        // Four maxima at once, so that each only depends on its own previous value.
        std::array<double, 4> most{-1.0, -1.0, -1.0, -1.0};
        std::size_t i = 0;
        for (; i + most.size() <= gains_of_waiting_.size(); i += most.size()) {
            for (std::size_t lane = 0; lane < most.size(); ++lane) {
                most[lane] = std::max(most[lane], gains_of_waiting_[i + lane]);
            }
        }
        for (; i < gains_of_waiting_.size(); ++i) most[0] = std::max(most[0], gains_of_waiting_[i]);
        const double highest = std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
        std::size_t best = waiting_.size();
        for (i = 0; i < waiting_.size(); ++i) {
            if (gains_of_waiting_[i] == highest &&
                (best == waiting_.size() || waiting_[i].head < waiting_[best].head)) {
                best = i;
            }
        }
        return best;
    }

    std::span<const std::uint32_t> intents_of(const Served::Group& group) const {
        return {served->group_intents.data() + group.first_intent, group.n_intents};
    }

    std::vector<double> worth_;
    std::vector<Waiting> waiting_;
    std::vector<double> gains_of_waiting_;
};

}  // namespace berryeval::kernels
