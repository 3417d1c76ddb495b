// Grades by intent, prepared for the pools of all queries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/pool.hpp"
#include "kernels/ranking.hpp"

namespace berryeval::engine {

// Judgments.subtopics as converted by berryeval.engine.session, in the order of the judgments.
// It owns nothing.
struct IntentColumns {
    std::span<const std::uint64_t> weight_starts;  // of each query in `weights`; one more
    std::span<const double> weights;               // of intents, in the order of their ids
    std::span<const std::uint64_t> part_starts;    // of each row in `intents`; one more
    std::span<const std::uint32_t> intents;        // places among the intents of the query, rising
    std::span<const double> grades;                // one per intent of a row
};

class Intents {
public:
    // Throws std::invalid_argument if the columns do not fit the judgments of the pools.
    Intents(const Pools& pools, const IntentColumns& columns);
    Intents(const Intents&) = delete;
    Intents& operator=(const Intents&) = delete;

    // The grades by intent of a pool; null if its query has no intents.
    const kernels::IntentGrades* of(std::size_t number) const {
        return of_pools_[number].weights.empty() ? nullptr : &of_pools_[number];
    }

private:
    std::vector<double> weights_;
    std::vector<kernels::IntentGrade> parts_;
    std::vector<std::uint64_t> starts_;
    std::vector<std::uint32_t> by_id_;
    std::vector<kernels::IntentGrades> of_pools_;
};

}  // namespace berryeval::engine
