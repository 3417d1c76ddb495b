// berryeval._native.Plan: measures that score one query at a time.
#include "bindings/plan.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <limits>

#include "kernels/plan.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using berryeval::kernels::Argument;
using berryeval::kernels::Call;
using berryeval::kernels::Hit;
using berryeval::kernels::not_in_pool;
using berryeval::kernels::Plan;
using berryeval::kernels::Ranking;
using berryeval::kernels::Scratch;

using Table = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void construct(Plan* plan,
               const std::vector<std::pair<std::string, std::map<std::string, Argument>>>& pairs,
               const Table& log2_ranks) {
    std::vector<Call> calls;
    for (const auto& [kernel, arguments] : pairs) calls.push_back({kernel, arguments});
    const double* const first = log2_ranks.data();
    new (plan) Plan(calls, std::vector<double>(first, first + log2_ranks.size()));
}

std::vector<double> score_lists(const Plan& plan, const std::vector<double>& grades,
                                const std::vector<double>& judged,
                                const std::vector<double>& lengths) {
    if (grades.size() >= std::numeric_limits<std::uint32_t>::max()) {
        throw nb::value_error("berryeval._native.Plan: too many grades");
    }
    std::vector<Hit> hits;
    for (std::size_t i = 0; i < grades.size(); ++i) {
        if (grades[i] != not_in_pool)
            hits.push_back({static_cast<std::uint32_t>(i + 1), 0, grades[i]});
    }
    std::vector<double> usable;
    for (const double grade : judged) {
        if (grade >= 0.0) usable.push_back(grade);
    }
    Scratch scratch;
    std::vector<double> values(plan.size());
    plan.score(
        Ranking{.n_retrieved = grades.size(), .hits = hits, .judged = usable, .lengths = lengths},
        scratch, values);
    return values;
}

}  // namespace

void define_plan(nb::module_& m) {
    nb::class_<Plan>(m, "Plan", "Kernels and their arguments, made ready to score queries.")
        .def("__init__", &construct, "calls"_a, "log2_ranks"_a.noconvert())
        .def("__len__", &Plan::size)
        .def("score_lists", &score_lists, "grades"_a, "judged"_a,
             "lengths"_a = std::vector<double>{},
             "Score one query, given what the kernels of berryeval.kernels take.");
}
