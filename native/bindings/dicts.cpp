#include "bindings/dicts.hpp"

#include "bindings/columns.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace berryeval::bindings {
namespace {

nb::object group_dict(const nb::dict& data, double most) {
    columns::Grouping grouping;
    std::string_view current;
    const bool is_plain = walk(
        data, most,
        [&](std::string_view query_id) {
            current = query_id;
            grouping.add_query(query_id);
        },
        [&](std::string_view doc_id, double value) { grouping.add(current, doc_id, value); });
    if (!is_plain) return nb::none();
    return to_python(std::move(grouping).columns(columns::Duplicates::error));
}

}  // namespace

void define_dicts(nb::module_& m) {
    m.def("group_dict", &group_dict, "data"_a, "most"_a,
          "Put a dict of dicts of numbers into columns; None if there is anything else in it.");
}

}  // namespace berryeval::bindings
