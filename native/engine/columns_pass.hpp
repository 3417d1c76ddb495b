// Runs in memory, scored query by query.
#pragma once

#include <cstddef>

#include "engine/board.hpp"
#include "engine/pool.hpp"

namespace berryeval::engine {

// Scores a run with several threads. It has each query once, and each document once per query.
void score_columns(const Grouped& run, std::size_t n_threads, Board& board);

}  // namespace berryeval::engine
