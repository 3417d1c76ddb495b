// Fuses several rankings of each query; the twin of berryeval.fusion._python.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "columns/buffer.hpp"

namespace berryeval::fusion {

// The values are those of berryeval.fusion._native.
enum class Norm { none, min_max, min_max_inverted, max, sum, zmuv, rank, borda };
enum class Values { scores, table, boosted, segments, windows, borda };
enum class Combination { sum, mean, factor, weights, max, min, median, condorcet };

// The rows of a run, grouped by query.
struct Run {
    std::span<const std::uint64_t> starts;
    std::string_view doc_data;
    std::span<const std::uint64_t> doc_offsets;
    std::span<const double> values;

    std::string_view doc_id(std::size_t row) const {
        const std::uint64_t from = doc_offsets[row];
        return doc_data.substr(from, doc_offsets[row + 1] - from);
    }
};

// Like berryeval.fusion.recipes.Recipe; the caller has checked that tables are long enough.
struct Recipe {
    Norm norm;
    Values values;
    Combination combination;
    std::span<const double> weights;
    std::vector<std::span<const double>> tables;
    std::span<const double> factors;
    std::size_t window;
    double absent;
};

struct Request {
    std::vector<Run> runs;
    // The number of each query in each run, or -1: places[query * runs.size() + run].
    std::span<const std::int64_t> places;
    Recipe recipe;
    std::size_t depth;  // documents to keep per query

    std::size_t n_queries() const { return places.size() / runs.size(); }
};

struct Fused {
    columns::Buffer<std::uint64_t> starts;
    columns::Buffer<char> doc_data;
    columns::Buffer<std::uint64_t> doc_offsets;
    columns::Buffer<double> values;
    // The first query that cannot be fused, and the run in it whose scores are the reason.
    std::optional<std::pair<std::size_t, std::size_t>> wrong;
};

Fused fuse(const Request& request, std::size_t n_threads);

}  // namespace berryeval::fusion
