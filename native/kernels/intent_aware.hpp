// Measures by intent. Twins of berryeval.kernels.intent_aware.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/gains.hpp"
#include "kernels/intents.hpp"

namespace berryeval::kernels {

// Calls `take` with the rank of a hit and each intent that it serves, over the first k ranks.
template <class Take>
void each_served(const Served& served, Cutoff k, const Take& take) {
    const auto hits = served.ranking->hits;
    for (std::size_t i = 0; i < hits.size(); ++i) {
        if (k && hits[i].rank > *k) break;
        for (const std::uint32_t intent : served.of_hit(i)) take(hits[i].rank, intent);
    }
}

inline double average_precision_ia(const Served& served, Cutoff k) {
    struct Sum {
        double n_found = 0.0;
        double precisions = 0.0;
    };
    std::vector<Sum> sums(served.weights.size());
    each_served(served, k, [&](std::uint32_t rank, std::uint32_t intent) {
        Sum& sum = sums[intent];
        sum.n_found += 1.0;
        sum.precisions += sum.n_found / rank;
    });
    double total = 0.0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        if (served.n_relevant[i] > 0.0) {
            total += served.weights[i] * (sums[i].precisions / served.n_relevant[i]);
        }
    }
    return served.total > 0.0 ? total / served.total : 0.0;
}

inline double graded_err_ia(const Served& served, Cutoff k, double level, double max_grade) {
    struct Reader {
        double going_on = 1.0;
        double total = 0.0;
    };
    std::vector<Reader> readers(served.weights.size());
    const double nothing = power_of_two(-max_grade);
    const auto read = [&](std::uint32_t rank, std::uint32_t intent, double grade) {
        if (!(grade >= level)) return;
        Reader& reader = readers[intent];
        const double satisfied = power_of_two(std::min(grade, max_grade) - max_grade) - nothing;
        reader.total += reader.going_on * satisfied / rank;
        reader.going_on *= 1.0 - satisfied;
    };
    const IntentGrades* const intents = served.ranking->intents;
    for (const Hit& hit : first(served.ranking->hits, k)) {
        if (!(hit.grade >= 0.0)) continue;
        if (intents == nullptr) {
            read(hit.rank, 0, hit.grade);
        } else {
            for (const IntentGrade& part : intents->of(hit.row)) {
                read(hit.rank, part.intent, part.grade);
            }
        }
    }
    double total = 0.0;
    for (std::size_t i = 0; i < readers.size(); ++i) {
        if (served.n_relevant[i] > 0.0) total += served.weights[i] * readers[i].total;
    }
    return served.total > 0.0 ? total / served.total : 0.0;
}

inline double precision_ia(const Served& served, Cutoff k) {
    std::vector<double> n_found(served.weights.size());
    each_served(served, k, [&](std::uint32_t, std::uint32_t intent) { n_found[intent] += 1.0; });
    double total = 0.0;
    for (std::size_t i = 0; i < n_found.size(); ++i) {
        if (served.n_relevant[i] > 0.0) total += served.weights[i] * n_found[i];
    }
    const double n_counted = n_ranks(*served.ranking, k);
    return n_counted > 0.0 && served.total > 0.0 ? total / (n_counted * served.total) : 0.0;
}

inline double subtopic_recall(const Served& served, Cutoff k) {
    std::vector<bool> is_served(served.weights.size());
    each_served(served, k, [&](std::uint32_t, std::uint32_t intent) { is_served[intent] = true; });
    const auto n_served = static_cast<double>(std::ranges::count(is_served, true));
    return served.n_intents > 0.0 ? n_served / served.n_intents : 0.0;
}

}  // namespace berryeval::kernels
