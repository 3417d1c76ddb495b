// Judgments and a run in; scores out.
#include "bindings/engine.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>

#include "arrow/read.hpp"
#include "bindings/arrow_stream.hpp"
#include "bindings/bytes.hpp"
#include "bindings/dicts.hpp"
#include "engine/batch_pass.hpp"
#include "engine/board.hpp"
#include "engine/columns_pass.hpp"
#include "engine/text_pass.hpp"
#include "text/print.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace berryeval::bindings {
namespace {

using Offsets = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Places = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Holds the memory of Python's arguments.
struct Columns {
    nb::bytes query_data;
    Offsets query_offsets;
    Offsets starts;
    nb::bytes doc_data;
    Offsets doc_offsets;
    Numbers values;

    engine::Grouped grouped() const {
        return {
            {{query_data.c_str(), query_data.size()}, {query_offsets.data(), query_offsets.size()}},
            {starts.data(), starts.size()},
            {{doc_data.c_str(), doc_data.size()}, {doc_offsets.data(), doc_offsets.size()}},
            {values.data(), values.size()}};
    }
};

bool fits(std::span<const std::uint64_t> offsets, std::size_t end) {
    return !offsets.empty() && offsets.front() == 0 && offsets.back() == end &&
           std::is_sorted(offsets.begin(), offsets.end());
}

// The columns come from core; this check prevents bugs there from causing invalid reads.
void check(const engine::Grouped& grouped) {
    const bool all_fit = fits(grouped.query_ids.offsets, grouped.query_ids.data.size()) &&
                         fits(grouped.doc_ids.offsets, grouped.doc_ids.data.size()) &&
                         fits(grouped.starts, grouped.values.size()) &&
                         grouped.starts.size() == grouped.query_ids.offsets.size() &&
                         grouped.doc_ids.size() == grouped.values.size();
    if (!all_fit) throw nb::value_error("berryeval._native: columns do not fit");
}

class PoolsOfPython {
public:
    PoolsOfPython(nb::bytes query_data, Offsets query_offsets, Offsets starts, nb::bytes doc_data,
                  Offsets doc_offsets, Numbers values, std::size_t n_threads)
        : columns_{std::move(query_data), std::move(query_offsets), std::move(starts),
                   std::move(doc_data),   std::move(doc_offsets),   std::move(values)} {
        check(columns_.grouped());
        pools_.emplace(columns_.grouped(), n_threads);
    }

    const engine::Pools& pools() const { return *pools_; }

private:
    Columns columns_;
    std::optional<engine::Pools> pools_;
};

template <class Array>
auto span_of(const Array& values) {
    return std::span(values.data(), values.size());
}

class IntentsOfPython {
public:
    IntentsOfPython(nb::object pools, const Offsets& weight_starts, const Numbers& weights,
                    const Offsets& part_starts, const Places& intents, const Numbers& grades)
        : pools_(std::move(pools)),
          intents_(nb::cast<const PoolsOfPython&>(pools_).pools(),
                   {span_of(weight_starts), span_of(weights), span_of(part_starts),
                    span_of(intents), span_of(grades)}) {}

    const engine::Intents* intents() const { return &intents_; }

private:
    nb::object pools_;  // kept alive
    engine::Intents intents_;
};

class StrataOfPython {
public:
    StrataOfPython(nb::object pools, const Places& n_strata, const Places& of_rows)
        : pools_(std::move(pools)),
          strata_(nb::cast<const PoolsOfPython&>(pools_).pools(), span_of(n_strata),
                  span_of(of_rows)) {}

    const engine::Strata* strata() const { return &strata_; }

private:
    nb::object pools_;  // kept alive
    engine::Strata strata_;
};

// Holds the memory of ids and lengths.
class LengthsOfPython {
public:
    LengthsOfPython(nb::bytes doc_data, Offsets doc_offsets, Numbers lengths)
        : doc_data_(std::move(doc_data)),
          doc_offsets_(std::move(doc_offsets)),
          values_(std::move(lengths)) {
        const engine::IdColumn ids{{doc_data_.c_str(), doc_data_.size()}, span_of(doc_offsets_)};
        if (!fits(ids.offsets, ids.data.size())) {
            throw nb::value_error("berryeval._native.Lengths: columns do not fit");
        }
        lengths_.emplace(ids, span_of(values_));
    }

    const engine::Lengths* lengths() const { return &*lengths_; }

private:
    nb::bytes doc_data_;
    Offsets doc_offsets_;
    Numbers values_;
    std::optional<engine::Lengths> lengths_;
};

// Scores one run. It fails if the run has to be read in another way: the caller then creates a
// new one.
class BoardOfPython {
public:
    BoardOfPython(nb::object pools, nb::object plan, bool keep_best,
                  const std::optional<std::size_t>& most, bool judged_only, std::size_t n_grades,
                  bool portable, nb::object intents, nb::object strata, nb::object lengths)
        : pools_(std::move(pools)),
          plan_(std::move(plan)),
          intents_(std::move(intents)),
          strata_(std::move(strata)),
          lengths_(std::move(lengths)),
          manner_{keep_best ? columns::Duplicates::keep_best : columns::Duplicates::error,
                  text::Rules::ours, portable},
          board_(
              nb::cast<const PoolsOfPython&>(pools_).pools(), nb::cast<const kernels::Plan&>(plan_),
              {most.value_or(engine::Cut{}.most), judged_only}, n_grades,
              intents_.is_none() ? nullptr : nb::cast<const IntentsOfPython&>(intents_).intents(),
              strata_.is_none() ? nullptr : nb::cast<const StrataOfPython&>(strata_).strata(),
              lengths_.is_none() ? nullptr : nb::cast<const LengthsOfPython&>(lengths_).lengths()),
          pieces_(board_, manner_) {}

    // `sizes` are the sizes of a block, a step and a tail; None means the defaults.
    bool score_file(int file, std::size_t size, std::size_t n_threads, bool like_trec_eval,
                    const std::optional<std::array<std::size_t, 3>>& sizes) {
        const engine::Sizes chosen =
            sizes ? engine::Sizes{(*sizes)[0], (*sizes)[1], (*sizes)[2]} : engine::Sizes{};
        if (sizes && (chosen.block <= text::byte_order_mark.size() || chosen.step == 0 ||
                      chosen.tail == 0)) {
            throw nb::value_error("berryeval._native.Board: these sizes are too small");
        }
        engine::Manner manner = manner_;
        if (like_trec_eval) manner.rules = text::Rules::trec_eval;
        bool is_interrupted = false;
        bool is_done = false;
        {
            const nb::gil_scoped_release without_gil;
            is_done = engine::score_file(file, size, chosen, n_threads, board_, manner, [&] {
                const nb::gil_scoped_acquire with_gil;
                is_interrupted = PyErr_CheckSignals() != 0;
                return !is_interrupted;
            });
        }
        if (is_interrupted) nb::raise_python_error();
        return is_done;
    }

    bool feed(const nb::bytes& piece) {
        const std::string_view text(piece.c_str(), piece.size());
        const nb::gil_scoped_release without_gil;
        return pieces_.feed(text);
    }

    bool finish_feeding() {
        const nb::gil_scoped_release without_gil;
        return pieces_.finish();
    }

    void score_columns(nb::bytes query_data, Offsets query_offsets, Offsets starts,
                       nb::bytes doc_data, Offsets doc_offsets, Numbers values,
                       std::size_t n_threads) {
        const Columns columns{std::move(query_data), std::move(query_offsets), std::move(starts),
                              std::move(doc_data),   std::move(doc_offsets),   std::move(values)};
        const engine::Grouped run = columns.grouped();
        check(run);
        const nb::gil_scoped_release without_gil;
        engine::score_columns(run, n_threads, board_);
    }

    bool score_dict(const nb::dict& run, std::size_t n_threads);
    bool score_arrow(nb::handle capsule, const std::array<std::size_t, 3>& places,
                     std::size_t n_threads);

    // For each query, the grades of its first documents, at most `length`, as one word.
    nb::list relstrings(std::size_t length) const {
        nb::list words;
        std::string word;
        for (std::size_t number = 0; number < board_.pools().size(); ++number) {
            const auto grades = board_.first_grades(number);
            word.assign(1, '\'');
            for (const double grade : grades.first(std::min(length, grades.size()))) {
                if (std::isnan(grade)) break;
                text::append_letter(word, grade);
            }
            word += '\'';
            words.append(to_bytes(word));
        }
        return words;
    }

    // (values measure by measure, whether the run has each query, how many others it has, and the
    // first of these)
    nb::tuple results(std::size_t n_shown) {
        std::vector<double> values;
        std::string taken;
        {
            const nb::gil_scoped_release without_gil;
            board_.finish();
            values = board_.by_measure();
            for (std::size_t number = 0; number < board_.pools().size(); ++number) {
                taken.push_back(board_.was_taken(number) ? 1 : 0);
            }
        }
        nb::list ignored;
        for (const std::string& id : board_.first_ignored(n_shown)) {
            ignored.append(nb::bytes(id.data(), id.size()));
        }
        return nb::make_tuple(nb::bytes(values.data(), values.size() * sizeof(double)),
                              nb::bytes(taken.data(), taken.size()), board_.n_ignored(), ignored);
    }

private:
    nb::object pools_;  // kept alive
    nb::object plan_;
    nb::object intents_;
    nb::object strata_;
    nb::object lengths_;
    engine::Manner manner_;
    engine::Board board_;
    engine::PieceByPiece pieces_;
};

bool BoardOfPython::score_dict(const nb::dict& run, std::size_t n_threads) {
    engine::BatchPass pass(board_, std::nullopt, n_threads);
    const bool is_plain = walk(
        run, std::numeric_limits<double>::infinity(),
        [&](std::string_view query_id) { pass.begin(query_id); },
        [&](std::string_view doc_id, double score) { pass.add(doc_id, score); });
    return pass.finish() && is_plain;
}

bool BoardOfPython::score_arrow(nb::handle capsule, const std::array<std::size_t, 3>& places,
                                std::size_t n_threads) {
    using Batch = arrow::Lent<ArrowArray>;
    struct Part {
        std::shared_ptr<Batch> batch;
        arrow::Digits digits;
        engine::Loan loan;
    };
    ArrowStream stream(capsule, places);
    const ArrowSchema& schema = stream.schema();
    if (!arrow::Reader::can_read(schema, places)) return false;
    arrow::Reader reader(schema, places, std::numeric_limits<double>::infinity());
    std::deque<Part> parts;  // outlive the pass
    engine::BatchPass pass(board_, manner_.duplicates, n_threads);
    std::optional<std::string_view> current;
    const auto take = [&](std::string_view query_id, std::string_view doc_id, double score) {
        if (!current || !columns::are_same(*current, query_id)) {
            pass.begin(query_id);
            current = query_id;
        }
        pass.add(doc_id, score);
    };
    for (;;) {
        const auto batch = std::make_shared<Batch>();
        if (!stream.next(*batch)) break;
        const std::int64_t length = (*batch)->length;
        for (std::int64_t first = 0; first < length; first += arrow::part_rows) {
            if (PyErr_CheckSignals() != 0) nb::raise_python_error();
            // Released with the GIL, like they were acquired.
            while (!parts.empty() && !parts.front().loan.is_in_use()) parts.pop_front();
            Part& part = parts.emplace_back();
            part.batch = batch;
            const nb::gil_scoped_release without_gil;
            pass.borrow(part.loan);
            const std::int64_t last = std::min(first + arrow::part_rows, length);
            const auto complaint = reader.read(**batch, first, last, part.digits, take);
            if (complaint || pass.has_failed()) return false;
        }
    }
    const nb::gil_scoped_release without_gil;
    return pass.finish();
}

}  // namespace

void define_engine(nb::module_& m) {
    nb::class_<PoolsOfPython>(m, "Pools", "Judgments, made ready for looking documents up.")
        .def(nb::init<nb::bytes, Offsets, Offsets, nb::bytes, Offsets, Numbers, std::size_t>(),
             "query_data"_a, "query_offsets"_a.noconvert(), "starts"_a.noconvert(), "doc_data"_a,
             "doc_offsets"_a.noconvert(), "values"_a.noconvert(), "n_threads"_a)
        .def("order",
             [](const PoolsOfPython& pools) {
                 const auto order = pools.pools().order();
                 return nb::bytes(order.data(), order.size_bytes());
             })
        .def("lacks_relevant", [](const PoolsOfPython& pools) {
            std::string flags;
            for (std::size_t i = 0; i < pools.pools().size(); ++i) {
                flags.push_back(pools.pools()[i].lacks_relevant() ? 1 : 0);
            }
            return nb::bytes(flags.data(), flags.size());
        });
    nb::class_<IntentsOfPython>(m, "Intents", "Grades by intent of the documents in pools.")
        .def(nb::init<nb::object, const Offsets&, const Numbers&, const Offsets&, const Places&,
                      const Numbers&>(),
             "pools"_a, "weight_starts"_a.noconvert(), "weights"_a.noconvert(),
             "part_starts"_a.noconvert(), "intents"_a.noconvert(), "grades"_a.noconvert());
    nb::class_<StrataOfPython>(m, "Strata", "Strata of the documents in pools.")
        .def(nb::init<nb::object, const Places&, const Places&>(), "pools"_a,
             "n_strata"_a.noconvert(), "of_rows"_a.noconvert());
    nb::class_<LengthsOfPython>(m, "Lengths", "Lengths of documents by id.")
        .def(nb::init<nb::bytes, Offsets, Numbers>(), "doc_data"_a, "doc_offsets"_a.noconvert(),
             "lengths"_a.noconvert());
    nb::class_<BoardOfPython>(m, "Board", "Scores one run.")
        .def(nb::init<nb::object, nb::object, bool, const std::optional<std::size_t>&, bool,
                      std::size_t, bool, nb::object, nb::object, nb::object>(),
             "pools"_a, "plan"_a, "keep_best"_a, "most"_a.none() = nb::none(),
             "judged_only"_a = false, "n_grades"_a = 0, "portable"_a = false,
             "intents"_a.none() = nb::none(), "strata"_a.none() = nb::none(),
             "lengths"_a.none() = nb::none())
        .def("relstrings", &BoardOfPython::relstrings, "length"_a)
        .def("score_file", &BoardOfPython::score_file, "file"_a, "size"_a, "n_threads"_a,
             "like_trec_eval"_a = false, "sizes"_a.none() = nb::none())
        .def("feed", &BoardOfPython::feed, "piece"_a)
        .def("finish_feeding", &BoardOfPython::finish_feeding)
        .def("score_columns", &BoardOfPython::score_columns, "query_data"_a,
             "query_offsets"_a.noconvert(), "starts"_a.noconvert(), "doc_data"_a,
             "doc_offsets"_a.noconvert(), "values"_a.noconvert(), "n_threads"_a)
        .def("score_dict", &BoardOfPython::score_dict, "run"_a, "n_threads"_a)
        .def("score_arrow", &BoardOfPython::score_arrow, "stream"_a, "places"_a, "n_threads"_a)
        .def("results", &BoardOfPython::results, "n_shown"_a);
}

}  // namespace berryeval::bindings
