// One query, in the form that kernels take.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace berryeval::kernels {

// The grade of an unjudged document: NOT_IN_POOL of berryeval.kernels.relevance.
inline constexpr double not_in_pool = -1.0;

// A retrieved document that is in the pool of its query. Ranks count from 1.
struct Hit {
    std::uint32_t rank;
    std::uint32_t row;  // of the document in the pool; for grades by intent, and strata
    double grade;       // below 0: in the pool, but not judged
};

// The grade of a document for one intent.
struct IntentGrade {
    std::uint32_t intent;
    double grade;
};

// The grades by intent of all documents in the pool of one query. It owns nothing.
struct IntentGrades {
    std::span<const double> weights;        // of each intent, in the order of their ids as bytes
    const IntentGrade* parts;               // by rising intent, document by document
    std::span<const std::uint64_t> starts;  // where the parts of each document begin; one more
    std::span<const std::uint32_t> by_id;   // the documents, the highest id first

    std::span<const IntentGrade> of(std::uint32_t row) const {
        return {parts + starts[row], parts + starts[row + 1]};
    }
    std::span<const IntentGrade> all() const {
        return {parts + starts.front(), parts + starts.back()};
    }
};

// The strata that the documents in the pool of one query were sampled from. It owns nothing.
struct Strata {
    std::span<const std::uint32_t> of_rows;  // the stratum of each document in the pool
    std::span<const double> grades;          // of each document; below 0 if it was not judged
    std::span<const double> weights;         // documents of a stratum per judged one; 0 if none is
};

// A ranking with its judgments. Ranks without a hit have unjudged documents.
struct Ranking {
    std::size_t n_retrieved;
    std::span<const Hit> hits;       // by rising rank
    std::span<const double> judged;  // the grades of all judged documents, none below 0, falling
    // The ranks, rising, of documents that only other queries judge; empty unless needed.
    std::span<const std::uint32_t> judged_elsewhere = {};
    const IntentGrades* intents = nullptr;  // null: the query is its own single intent
    const Strata* strata = nullptr;         // null: the judged documents are the pool
    // The lengths of the first documents, as many as a kernel requires; NaN if unknown.
    std::span<const double> lengths = {};
};

// The number of ranks that count; none means all of them.
using Cutoff = std::optional<std::size_t>;

// The ranks that count, whether or not the ranking reaches that far.
inline double n_ranks(const Ranking& ranking, Cutoff k) {
    return static_cast<double>(k.value_or(ranking.n_retrieved));
}

// How many of `count` adjacent elements come first.
inline std::size_t n_first(std::size_t count, Cutoff k) { return k ? std::min(*k, count) : count; }

// The hits in the first k ranks.
inline std::span<const Hit> first(std::span<const Hit> hits, Cutoff k) {
    if (!k) return hits;
    return hits.first(static_cast<std::size_t>(
        std::ranges::count_if(hits, [last = *k](const Hit& hit) { return hit.rank <= last; })));
}

// The judged documents in the first k ranks.
inline double count_judged(const Ranking& ranking, Cutoff k) {
    return static_cast<double>(std::ranges::count_if(
        first(ranking.hits, k), [](const Hit& hit) { return hit.grade >= 0.0; }));
}

}  // namespace berryeval::kernels
