// One query, as the kernels see it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace berryeval::kernels {

// A retrieved document that is in the pool of its query. Ranks count from 1.
struct Hit {
    std::uint32_t rank;
    double grade;  // below 0: in the pool, but not judged
};

// A ranking with its judgments. Ranks without a hit hold documents that nobody judged.
struct Ranking {
    std::size_t n_retrieved;
    std::span<const Hit> hits;       // by rising rank
    std::span<const double> judged;  // the grades of all judged documents, none below 0, falling
};

// How many ranks count; none means all of them.
using Cutoff = std::optional<std::size_t>;

// The ranks that count, whether or not the ranking reaches that far.
inline double n_ranks(const Ranking& ranking, Cutoff k) {
    return static_cast<double>(k.value_or(ranking.n_retrieved));
}

// The documents that are there, in the first k ranks.
inline std::size_t n_first(const Ranking& ranking, Cutoff k) {
    return k ? std::min(*k, ranking.n_retrieved) : ranking.n_retrieved;
}

// The hits in the first k ranks.
inline std::span<const Hit> first(const Ranking& ranking, Cutoff k) {
    std::size_t count = ranking.hits.size();
    if (k) {
        while (count > 0 && ranking.hits[count - 1].rank > *k) --count;
    }
    return ranking.hits.first(count);
}

}  // namespace berryeval::kernels
