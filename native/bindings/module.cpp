// berryeval._native. Only this folder of native/ depends on Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>

#include "arrays/score.hpp"
#include "bindings/arrow.hpp"
#include "bindings/dicts.hpp"
#include "bindings/engine.hpp"
#include "bindings/fusion.hpp"
#include "bindings/grouping.hpp"
#include "bindings/plan.hpp"
#include "bindings/print.hpp"
#include "bindings/search.hpp"
#include "bindings/stats.hpp"
#include "bindings/text.hpp"
#include "join/match.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Ids = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Grades = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Table = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class Out>
using Scores = nb::ndarray<Out, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

// Arguments were validated in Python; this check prevents bugs there from causing invalid reads.
void require(bool condition) {
    if (!condition) throw nb::value_error("berryeval._native.score: arguments do not fit");
}

template <class Out>
void score(const Ids& retrieved, const Ids& relevant, const std::optional<Grades>& grades,
           const std::vector<std::size_t>& ks, const std::vector<int>& metric_numbers,
           bool divide_by_k, const Table& log2_ranks, std::size_t n_threads, bool portable,
           const Scores<Out>& out) {
    using berryeval::arrays::Metric;
    const std::size_t n_rows = retrieved.shape(0);
    require(relevant.shape(0) == n_rows && !ks.empty() && ks.front() >= 1);
    require(std::is_sorted(ks.begin(), ks.end(), std::less_equal<>()));  // none equal
    require(ks.back() <= retrieved.shape(1));
    require(retrieved.shape(1) <= berryeval::arrays::most_columns);
    require(relevant.shape(1) <= berryeval::arrays::most_columns);
    require(log2_ranks.shape(0) >= ks.back());
    require(!grades || (grades->shape(0) == n_rows && grades->shape(1) == relevant.shape(1)));
    require(out.shape(0) == metric_numbers.size() && out.shape(1) == ks.size());
    require(out.shape(2) == n_rows);

    std::vector<Metric> metrics;
    for (const int number : metric_numbers) {
        require(number >= 0 && number < static_cast<int>(berryeval::arrays::n_metrics));
        metrics.push_back(static_cast<Metric>(number));
    }
    const berryeval::arrays::Request request{
        .n_rows = n_rows,
        .retrieved = {retrieved.data(), retrieved.size()},
        .relevant = {relevant.data(), relevant.size()},
        .grades = grades ? grades->data() : nullptr,
        .ks = ks,
        .metrics = metrics,
        .divide_by_k = divide_by_k,
        .log2_ranks = {log2_ranks.data(), log2_ranks.size()},
    };
    const nb::gil_scoped_release without_gil;
    berryeval::arrays::score(request, n_threads, portable, out.data());
}

template <class Out>
void define_score(nb::module_& m) {
    // Nothing is converted: a copy of `out` would be filled and discarded.
    m.def("score", &score<Out>, "retrieved"_a.noconvert(), "relevant"_a.noconvert(),
          "grades"_a.none().noconvert(), "ks"_a, "metrics"_a, "divide_by_k"_a,
          "log2_ranks"_a.noconvert(), "n_threads"_a, "portable"_a, "out"_a.noconvert(),
          "Fill out[metric, k, query] with scores.");
}

}  // namespace

NB_MODULE(_native, m) {
    // The command line ends without garbage collection (see berryeval/__main__.py), so objects that
    // an error still references at the end are not leaks.
    nb::set_leak_warnings(false);
    m.doc() = "The native twins. Use them through berryeval.metrics.";
    define_score<float>(m);
    define_score<double>(m);
    berryeval::bindings::define_arrow(m);
    berryeval::bindings::define_dicts(m);
    berryeval::bindings::define_engine(m);
    berryeval::bindings::define_fusion(m);
    berryeval::bindings::define_grouping(m);
    define_plan(m);
    berryeval::bindings::define_print(m);
    berryeval::bindings::define_search(m);
    berryeval::bindings::define_stats(m);
    berryeval::bindings::define_text(m);
    m.def(
        "simd", [] { return berryeval::join::choose_matcher(false).name; },
        "Name the instructions that this processor is served with.");
}
