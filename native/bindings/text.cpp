// TREC text in; columns out.
#include "bindings/text.hpp"

#include <nanobind/stl/optional.h>

#include "bindings/bytes.hpp"
#include "bindings/columns.hpp"
#include "text/number.hpp"
#include "text/reader.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace berryeval::bindings {
namespace {

bool feed(text::Reader& reader, const nb::bytes& piece) {
    const std::string_view bytes(piece.c_str(), piece.size());
    const nb::gil_scoped_release without_gil;
    return reader.feed(bytes);
}

bool finish(text::Reader& reader) {
    const nb::gil_scoped_release without_gil;
    return reader.finish();
}

// The line, query and document of the first row that repeats a document of its query.
nb::object first_duplicate(text::Reader& reader) {
    const columns::Grouping& rows = reader.rows();
    std::optional<std::size_t> row;
    {
        const nb::gil_scoped_release without_gil;
        row = rows.first_duplicate();
    }
    if (!row) return nb::none();
    return nb::make_tuple(reader.line_of(*row), to_bytes(rows.query_id_of(*row)),
                          to_bytes(rows.doc_id(*row)));
}

// The number and the text of the invalid line.
nb::object wrong_line(const text::Reader& reader) {
    if (!reader.is_wrong()) return nb::none();
    return nb::make_tuple(reader.wrong_line(), to_bytes(reader.wrong_text()));
}

nb::tuple take_columns(text::Reader& reader, bool keep_best) {
    columns::Columns columns;
    {
        const nb::gil_scoped_release without_gil;
        columns =
            std::move(reader.rows())
                .columns(keep_best ? columns::Duplicates::keep_best : columns::Duplicates::error);
    }
    return to_python(std::move(columns));
}

std::optional<double> parse_number(const nb::bytes& text) {
    return text::parse_number({text.c_str(), text.size()});
}

}  // namespace

void define_text(nb::module_& m) {
    nb::class_<text::Reader>(m, "TextReader", "Reads TREC text that comes in pieces.")
        .def(
            "__init__",
            [](text::Reader* reader, bool is_run, bool like_trec_eval) {
                new (reader)
                    text::Reader({is_run ? text::Kind::run : text::Kind::judgments,
                                  like_trec_eval ? text::Rules::trec_eval : text::Rules::ours});
            },
            "is_run"_a, "like_trec_eval"_a = false)
        .def("feed", &feed, "piece"_a)
        .def("finish", &finish)
        .def("wrong_line", &wrong_line)
        .def("first_duplicate", &first_duplicate)
        .def("has_plain_labels", &text::Reader::has_plain_labels)
        .def("take_columns", &take_columns, "keep_best"_a);
    m.def("parse_number", &parse_number, "text"_a,
          "Read a number as float() does; None if it is none.");
}

}  // namespace berryeval::bindings
