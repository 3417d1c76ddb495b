// The lines of many queries, as trec_eval prints them.
#include "bindings/print.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "bindings/bytes.hpp"
#include "text/print.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace berryeval::bindings {
namespace {

using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

struct Column {
    std::string name;
    bool is_whole = false;
    const double* numbers = nullptr;  // otherwise texts
    std::vector<std::string> texts;
};

// Each column is (name, values, is_whole): values are numbers, or a list of bytes.
std::vector<Column> columns_of(const nb::list& given, std::size_t n_queries,
                               std::vector<Numbers>& kept) {
    std::vector<Column> columns;
    for (const nb::handle one : given) {
        Column column;
        column.name = view_of(nb::cast<nb::bytes>(one[0]));
        column.is_whole = nb::cast<bool>(one[2]);
        if (nb::isinstance<nb::list>(one[1])) {
            for (const nb::handle text : one[1]) {
                column.texts.emplace_back(view_of(nb::cast<nb::bytes>(text)));
            }
        } else {
            kept.push_back(nb::cast<Numbers>(one[1]));
            column.numbers = kept.back().data();
        }
        const std::size_t size = column.numbers ? kept.back().size() : column.texts.size();
        if (size != n_queries) throw nb::value_error("berryeval._native.print_rows: sizes differ");
        columns.push_back(std::move(column));
    }
    return columns;
}

nb::bytes print_rows(const nb::list& query_ids, const nb::list& given) {
    std::vector<Numbers> kept;
    const std::vector<Column> columns = columns_of(given, query_ids.size(), kept);
    std::string text;
    for (std::size_t query = 0; query < query_ids.size(); ++query) {
        const auto query_id = nb::cast<nb::bytes>(query_ids[query]);
        for (const Column& column : columns) {
            text += column.name;
            text += '\t';
            text += view_of(query_id);
            text += '\t';
            if (column.numbers == nullptr) {
                text += column.texts[query];
            } else if (column.is_whole) {
                text::append_whole(text, column.numbers[query]);
            } else {
                text::append_fixed(text, column.numbers[query]);
            }
            text += '\n';
        }
    }
    return nb::bytes(text.data(), text.size());
}

// One after the other, like the twin: another order would give other bits.
double add_up(const Numbers& numbers) {
    double total = 0.0;
    for (std::size_t i = 0; i < numbers.size(); ++i) total += numbers.data()[i];
    return total;
}

}  // namespace

void define_print(nb::module_& m) {
    m.def("add_up", &add_up, "numbers"_a.noconvert(), "Return the sum, added from left to right.");
    m.def("print_rows", &print_rows, "query_ids"_a, "columns"_a,
          "Return a line for each query and column of (name, numbers or texts, is whole).");
}

}  // namespace berryeval::bindings
