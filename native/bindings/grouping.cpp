// The grouping of rows alone, so that it can be compared with its twin.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include "bindings/columns.hpp"
#include "bindings/grouping.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace berryeval::bindings {
namespace {

nb::tuple group(const nb::list& rows, bool keep_best) {
    columns::Grouping grouping;
    for (const nb::handle row : rows) {
        const auto query_id = nb::cast<nb::bytes>(row[0]);
        const auto doc_id = nb::cast<nb::bytes>(row[1]);
        grouping.add({query_id.c_str(), query_id.size()}, {doc_id.c_str(), doc_id.size()},
                     nb::cast<double>(row[2]));
    }
    const auto duplicate = grouping.first_duplicate();
    const auto duplicates = keep_best ? columns::Duplicates::keep_best : columns::Duplicates::error;
    return nb::make_tuple(to_python(std::move(grouping).columns(duplicates)), duplicate);
}

}  // namespace

void define_grouping(nb::module_& m) {
    m.def("group", &group, "rows"_a, "keep_best"_a,
          "Put rows of (query id, document id, number) into columns; and the first duplicate.");
}

}  // namespace berryeval::bindings
