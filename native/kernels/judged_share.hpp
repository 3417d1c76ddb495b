// How much of a ranking was judged: twins of berryeval.kernels.judged_share.
#pragma once

#include "kernels/counts.hpp"
#include "kernels/ranking.hpp"

namespace berryeval::kernels {

inline double judged_share(const Ranking& ranking, Cutoff k) {
    const double n_documents = static_cast<double>(n_first(ranking.n_retrieved, k));
    return n_documents > 0.0 ? count_judged(ranking, k) / n_documents : 0.0;
}

inline double unjudged_share(const Ranking& ranking, Cutoff k) {
    const double denominator = n_ranks(ranking, k);
    return denominator > 0.0 ? n_unjudged_retrieved(ranking, k) / denominator : 0.0;
}

inline double hole_share(const Ranking& ranking, Cutoff k) {
    const double denominator = n_ranks(ranking, k);
    if (!(denominator > 0.0)) return 0.0;
    const auto elsewhere = std::ranges::count_if(
        ranking.judged_elsewhere, [&](std::uint32_t rank) { return !k || rank <= *k; });
    const std::size_t known = first(ranking.hits, k).size() + static_cast<std::size_t>(elsewhere);
    return static_cast<double>(n_first(ranking.n_retrieved, k) - known) / denominator;
}

}  // namespace berryeval::kernels
