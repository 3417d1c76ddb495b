// Arrow streams from the PyCapsule interface.
#include "bindings/arrow.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>

#include <string>

#include "arrow/read.hpp"
#include "bindings/arrow_stream.hpp"
#include "bindings/bytes.hpp"
#include "bindings/columns.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace berryeval::bindings {
namespace {

using arrow::Lent;
using Places = std::array<std::size_t, 3>;

nb::list arrow_names(nb::handle capsule) {
    const ArrowStream stream(capsule, {});
    const ArrowSchema& schema = stream.schema();
    nb::list names;
    for (std::int64_t i = 0; i < schema.n_children; ++i) {
        const char* const name = schema.children[i]->name;
        names.append(nb::str(name != nullptr ? name : ""));
    }
    return names;
}

const char* name_of(arrow::Problem problem) {
    switch (problem) {
        case arrow::Problem::null:
            return "null";
        case arrow::Problem::empty_id:
            return "empty id";
        case arrow::Problem::number:
            return "number";
    }
    return "";
}

// (columns, None), or (None, error); (None, None) if a column has a type that only the twin
// reads.
nb::tuple arrow_group(nb::handle capsule, const Places& places, double most, bool keep_best,
                      std::size_t n_expected) {
    ArrowStream stream(capsule, places);
    if (!arrow::Reader::can_read(stream.schema(), places)) {
        return nb::make_tuple(nb::none(), nb::none());
    }
    arrow::GroupingReader reader(arrow::Reader(stream.schema(), places, most), n_expected);
    columns::Grouping& grouping = reader.grouping();
    std::optional<arrow::Complaint> complaint;
    while (!complaint) {
        Lent<ArrowArray> batch;
        if (!stream.next(batch)) break;
        const nb::gil_scoped_release without_gil;
        complaint = reader.add(*batch);
    }
    std::optional<std::size_t> duplicate;
    if (!keep_best) {
        const nb::gil_scoped_release without_gil;
        duplicate = grouping.first_duplicate();
    }
    if (duplicate) {
        return nb::make_tuple(
            nb::none(), nb::make_tuple("duplicate", 1, *duplicate,
                                       nb::make_tuple(to_bytes(grouping.query_id_of(*duplicate)),
                                                      to_bytes(grouping.doc_id(*duplicate)))));
    }
    if (complaint) {
        return nb::make_tuple(nb::none(),
                              nb::make_tuple(name_of(complaint->problem), complaint->column,
                                             complaint->row, complaint->number));
    }
    columns::Columns found;
    {
        const nb::gil_scoped_release without_gil;
        found = std::move(grouping).columns(keep_best ? columns::Duplicates::keep_best
                                                      : columns::Duplicates::error);
    }
    return nb::make_tuple(to_python(std::move(found)), nb::none());
}

}  // namespace

void define_arrow(nb::module_& m) {
    m.def("arrow_names", &arrow_names, "stream"_a, "Return the names of a stream's columns.");
    m.def("arrow_group", &arrow_group, "stream"_a, "places"_a, "most"_a, "keep_best"_a,
          "n_expected"_a,
          "Put the rows of a stream into columns by query, or say what is wrong with one.");
}

}  // namespace berryeval::bindings
