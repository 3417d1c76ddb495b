#include "engine/intents.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace berryeval::engine {
namespace {

bool fits(std::span<const std::uint64_t> starts, std::size_t size, std::size_t end) {
    return starts.size() == size + 1 && starts.front() == 0 && starts.back() == end &&
           std::is_sorted(starts.begin(), starts.end());
}

}  // namespace

Intents::Intents(const Pools& pools, const IntentColumns& columns)
    : weights_(columns.weights.begin(), columns.weights.end()),
      starts_(columns.part_starts.begin(), columns.part_starts.end()),
      by_id_(pools.judgments().values.size()),
      of_pools_(pools.size()) {
    const Grouped& judgments = pools.judgments();
    if (!fits(columns.weight_starts, pools.size(), columns.weights.size()) ||
        !fits(columns.part_starts, judgments.values.size(), columns.intents.size()) ||
        columns.grades.size() != columns.intents.size()) {
        throw std::invalid_argument("berryeval._native.Intents: columns do not fit");
    }
    parts_.reserve(columns.intents.size());
    for (std::size_t i = 0; i < columns.intents.size(); ++i) {
        parts_.push_back({columns.intents[i], columns.grades[i]});
    }
    for (std::size_t number = 0; number < pools.size(); ++number) {
        const std::uint64_t query = pools.order()[number];
        const std::uint64_t first = judgments.starts[query];
        const std::size_t n_rows = judgments.starts[query + 1] - first;
        const std::size_t first_weight = columns.weight_starts[query];
        const std::size_t n_intents = columns.weight_starts[query + 1] - first_weight;
        kernels::IntentGrades& own = of_pools_[number];
        own.weights = {weights_.data() + first_weight, n_intents};
        own.parts = parts_.data();
        own.starts = {starts_.data() + first, n_rows + 1};
        const std::span<std::uint32_t> by_id(by_id_.data() + first, n_rows);
        own.by_id = by_id;
        for (const kernels::IntentGrade& part : own.all()) {
            if (part.intent >= n_intents) {
                throw std::invalid_argument("berryeval._native.Intents: no such intent");
            }
        }
        if (n_intents == 0) continue;
        std::iota(by_id.begin(), by_id.end(), std::uint32_t{0});
        std::ranges::sort(by_id, [&](std::uint32_t a, std::uint32_t b) {
            return judgments.doc_ids[first + a] > judgments.doc_ids[first + b];
        });
    }
}

}  // namespace berryeval::engine
