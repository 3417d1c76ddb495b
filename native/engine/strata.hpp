// Strata of sampled pools, prepared for the pools of all queries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/pool.hpp"
#include "kernels/ranking.hpp"

namespace berryeval::engine {

class Strata {
public:
    // `of_rows` has the stratum of each row of the judgments: its position among those of the
    // query, in the order of their names; `n_strata` has the number of strata of each judged query.
    // Throws std::invalid_argument if they do not fit the judgments of the pools.
    Strata(const Pools& pools, std::span<const std::uint32_t> n_strata,
           std::span<const std::uint32_t> of_rows);
    Strata(const Strata&) = delete;
    Strata& operator=(const Strata&) = delete;

    const kernels::Strata* of(std::size_t number) const { return &of_pools_[number]; }

private:
    std::vector<std::uint32_t> of_rows_;
    std::vector<double> weights_;  // of all queries, one after the other
    std::vector<kernels::Strata> of_pools_;
};

}  // namespace berryeval::engine
