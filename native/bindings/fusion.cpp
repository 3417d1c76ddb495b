#include "bindings/fusion.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "bindings/columns.hpp"
#include "fusion/fuse.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace berryeval::bindings {
namespace {

using Offsets = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Places = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Rows = std::tuple<Offsets, nb::bytes, Offsets, Numbers>;

std::span<const double> span_of(const Numbers& numbers) { return {numbers.data(), numbers.size()}; }

// Arguments were validated in Python; this check prevents bugs there from causing invalid reads.
void require(bool condition) {
    if (!condition) throw nb::value_error("berryeval._native.fuse: arguments do not fit");
}

fusion::Run run_of(const Rows& rows) {
    const auto& [starts, doc_data, doc_offsets, values] = rows;
    const fusion::Run run{{starts.data(), starts.size()},
                          {doc_data.c_str(), doc_data.size()},
                          {doc_offsets.data(), doc_offsets.size()},
                          span_of(values)};
    const auto fits = [](std::span<const std::uint64_t> offsets, std::size_t end) {
        return !offsets.empty() && offsets.front() == 0 && offsets.back() == end &&
               std::is_sorted(offsets.begin(), offsets.end());
    };
    require(fits(run.starts, run.values.size()) && fits(run.doc_offsets, run.doc_data.size()));
    require(run.doc_offsets.size() == run.values.size() + 1);
    return run;
}

std::size_t longest_of(const fusion::Run& run) {
    std::size_t longest = 0;
    for (std::size_t i = 1; i < run.starts.size(); ++i) {
        longest = std::max<std::size_t>(longest, run.starts[i] - run.starts[i - 1]);
    }
    return longest;
}

nb::tuple fuse(const std::vector<Rows>& rows, const Places& places, int norm, int values,
               int combination, const Numbers& weights, const std::vector<Numbers>& tables,
               const Numbers& factors, std::size_t window, double absent,
               const std::optional<std::size_t>& depth, std::size_t n_threads) {
    fusion::Request request;
    for (const Rows& one : rows) request.runs.push_back(run_of(one));
    const std::size_t n_runs = request.runs.size();
    require(n_runs >= 1 && weights.size() == n_runs && places.size() % n_runs == 0);
    require(norm >= 0 && norm <= static_cast<int>(fusion::Norm::borda));
    require(values >= 0 && values <= static_cast<int>(fusion::Values::borda));
    require(combination >= 0 && combination <= static_cast<int>(fusion::Combination::condorcet));
    request.places = {places.data(), places.size()};
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto n_queries = static_cast<std::int64_t>(request.runs[i % n_runs].starts.size());
        require(request.places[i] >= -1 && request.places[i] < n_queries - 1);
    }
    request.recipe = {static_cast<fusion::Norm>(norm),
                      static_cast<fusion::Values>(values),
                      static_cast<fusion::Combination>(combination),
                      span_of(weights),
                      {},
                      span_of(factors),
                      window,
                      absent};
    const bool has_tables = request.recipe.values != fusion::Values::scores &&
                            request.recipe.values != fusion::Values::borda;
    require(tables.size() == (has_tables ? n_runs : 0));
    for (std::size_t run = 0; run < tables.size(); ++run) {
        const bool is_by_rank = request.recipe.values != fusion::Values::segments;
        require(tables[run].size() >= (is_by_rank ? longest_of(request.runs[run]) : 1));
        request.recipe.tables.push_back(span_of(tables[run]));
    }
    require(request.recipe.combination != fusion::Combination::factor || factors.size() >= n_runs);
    require(window <= std::numeric_limits<std::uint32_t>::max());
    request.depth = depth.value_or(std::numeric_limits<std::size_t>::max());
    fusion::Fused fused;
    {
        const nb::gil_scoped_release without_gil;
        fused = fusion::fuse(request, n_threads);
    }
    if (fused.wrong) {
        return nb::make_tuple(nb::none(), nb::make_tuple(fused.wrong->first, fused.wrong->second));
    }
    const nb::tuple columns = nb::make_tuple(
        view_of(std::move(fused.starts)), nb::bytes(fused.doc_data.data(), fused.doc_data.size()),
        view_of(std::move(fused.doc_offsets)), view_of(std::move(fused.values)));
    return nb::make_tuple(columns, nb::none());
}

}  // namespace

void define_fusion(nb::module_& m) {
    m.def("fuse", &fuse, "runs"_a, "places"_a, "norm"_a, "values"_a, "combination"_a, "weights"_a,
          "tables"_a, "factors"_a, "window"_a, "absent"_a, "depth"_a.none(), "n_threads"_a,
          "Fuse the rows of runs; return starts, ids and scores, or where that is not possible.");
}

}  // namespace berryeval::bindings
