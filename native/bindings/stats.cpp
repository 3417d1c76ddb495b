#include "bindings/stats.hpp"

#include <nanobind/ndarray.h>

#include "stats/resampling.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace berryeval::bindings {
namespace {

using Values = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Means = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Arguments were validated in Python; this check prevents bugs there from causing invalid reads.
void require(bool condition) {
    if (!condition) throw nb::value_error("berryeval._native: resampling arguments do not fit");
}

void flipped_means(const Values& values, std::uint64_t seed, std::uint64_t first,
                   std::size_t n_threads, const Means& out) {
    require(values.shape(0) >= 1 && values.shape(1) >= 1);
    require(out.shape(1) == values.shape(1));
    const stats::Request request{values.data(), values.shape(0), values.shape(1),
                                 seed,          first,           out.shape(0)};
    const nb::gil_scoped_release without_gil;
    stats::flipped_means(request, n_threads, out.data());
}

}  // namespace

void define_stats(nb::module_& m) {
    // Nothing is converted: a copy of `out` would be filled and discarded.
    m.def("flipped_means", &flipped_means, "values"_a.noconvert(), "seed"_a, "first"_a,
          "n_threads"_a, "out"_a.noconvert(),
          "Fill out[resample, column] with means of queries whose signs are drawn.");
}

}  // namespace berryeval::bindings
