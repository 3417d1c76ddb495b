#include "engine/pool.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

#include "columns/hash.hpp"

namespace berryeval::engine {
namespace {

constexpr double unjudged = -2.0;  // berryeval.kernels.relevance.UNJUDGED

}  // namespace

double Pool::usable(double grade) { return grade >= 0.0 ? grade : unjudged; }

Pool::Pool(const Grouped& judgments, std::size_t first, std::size_t last)
    : judgments_(&judgments), first_(first), slots_(std::bit_ceil(2 * (last - first) + 1)) {
    mask_ = slots_.size() - 1;
    for (std::size_t row = first; row < last; ++row) {
        const std::uint64_t hash =
            columns::hash_id(judgments.doc_ids[row], columns::process_seed());
        std::size_t i = hash & mask_;
        while (slots_[i].number != 0) i = (i + 1) & mask_;
        slots_[i] = {static_cast<std::uint32_t>(hash >> 32),
                     static_cast<std::uint32_t>(row - first + 1)};
        if (judgments.values[row] >= 0.0) judged_.push_back(judgments.values[row]);
    }
    std::sort(judged_.begin(), judged_.end(), std::greater<>());
}

Pools::Pools(const Grouped& judgments)
    : judgments_(judgments), order_(judgments.query_ids.size()) {
    std::iota(order_.begin(), order_.end(), std::uint64_t{0});
    std::sort(order_.begin(), order_.end(), [&](std::uint64_t a, std::uint64_t b) {
        return judgments_.query_ids[a] < judgments_.query_ids[b];
    });
    pools_.reserve(order_.size());
    number_of_.reserve(order_.size());
    for (const std::uint64_t query : order_) {
        const std::size_t first = judgments_.starts[query];
        const std::size_t last = judgments_.starts[query + 1];
        number_of_.emplace(judgments_.query_ids[query], pools_.size());
        pools_.emplace_back(judgments_, first, last);
    }
}

}  // namespace berryeval::engine
