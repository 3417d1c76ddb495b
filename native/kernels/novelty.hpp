// Alpha-DCG, intent-aware ERR and NRBP. Twins of berryeval.kernels.novelty.
#pragma once

#include <algorithm>
#include <optional>

#include "kernels/discounts.hpp"
#include "kernels/intents.hpp"

namespace berryeval::kernels {

struct DiscountByLog2 {
    const Discounts& discounts;
    double operator()(std::size_t rank) const { return discounts.log2_rank(rank); }
};

struct DiscountByRank {
    double operator()(std::size_t rank) const { return static_cast<double>(rank); }
};

inline double ratio_of_gains(double total, double best) {
    return best > 0.0 ? std::min(total / best, 1.0) : 0.0;
}

// The gains at the first ranks of documents that serve an intent of weight 1.
template <class Discount>
double most_gained(std::size_t n_ranks, double alpha, const Discount& discount) {
    double total = 0.0;
    double worth = 1.0;
    for (std::size_t rank = 1; rank <= n_ranks; ++rank) {
        const double longer = total + worth / discount(rank);
        if (longer == total) break;  // and all later ranks add even less
        total = longer;
        worth *= 1.0 - alpha;
    }
    return total;
}

template <class Discount>
double discounted(const Novel& novel, Cutoff k, const Discount& discount) {
    double total = 0.0;
    for (const Novel::Gained& document : novel.gains) {
        if (k && document.rank > *k) break;
        total += document.gain / discount(document.rank);
    }
    return total;
}

template <class Discount>
double discounted_ideal(const Novel& novel, Cutoff k, const Discount& discount) {
    double total = 0.0;
    for (std::size_t i = 0; i < n_first(novel.ideal.size(), k); ++i) {
        total += novel.ideal[i] / discount(i + 1);
    }
    return total;
}

// alpha_dcg and err_ia. `most` is the result of most_gained for k, if there is a k.
template <class Discount>
double share_of_most(const Novel& novel, Cutoff k, double alpha, std::optional<double> most,
                     const Discount& discount) {
    if (!(novel.served->total > 0.0)) return 0.0;
    const double best =
        most ? *most : most_gained(novel.served->ranking->n_retrieved, alpha, discount);
    return ratio_of_gains(discounted(novel, k, discount), novel.served->total * best);
}

// alpha_ndcg and nerr_ia.
template <class Discount>
double share_of_ideal(const Novel& novel, Cutoff k, const Discount& discount) {
    return ratio_of_gains(discounted(novel, k, discount), discounted_ideal(novel, k, discount));
}

// Powers of beta come from repeated multiplication, as in Python.
inline double decayed(const Novel& novel, Cutoff k, double beta) {
    std::size_t rank = 1;
    double seen = 1.0;
    double total = 0.0;
    for (const Novel::Gained& document : novel.gains) {
        if (k && document.rank > *k) break;
        for (; rank < document.rank; ++rank) seen *= beta;
        total += document.gain * seen;
    }
    return total;
}

inline double nrbp(const Novel& novel, Cutoff k, double alpha, double beta) {
    if (!(novel.served->total > 0.0)) return 0.0;
    const double total = decayed(novel, k, beta);
    return std::min((1.0 - (1.0 - alpha) * beta) * total / novel.served->total, 1.0);
}

inline double nnrbp(const Novel& novel, Cutoff k, double beta) {
    double best = 0.0;
    double seen = 1.0;
    for (std::size_t i = 0; i < n_first(novel.ideal.size(), k); ++i) {
        best += novel.ideal[i] * seen;
        seen *= beta;
    }
    return ratio_of_gains(decayed(novel, k, beta), best);
}

}  // namespace berryeval::kernels
