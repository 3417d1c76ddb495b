// Any bytes as a TREC run: the scanner, the pieces, the blocks and the columns have to agree.
//
// Built with libFuzzer, or with fuzz/driver.cpp where there is none; always with sanitizers.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/board.hpp"
#include "engine/columns_pass.hpp"
#include "engine/text_pass.hpp"
#include "text/reader.hpp"

namespace {

using namespace berryeval;

void require(bool condition, const char* what) {
    if (condition) return;
    std::fprintf(stderr, "not so: %s\n", what);
    std::abort();
}

// Judgments of the queries a and b.
const engine::Pools& pools() {
    static const std::string query_data = "ab", doc_data = "abcab\xff";
    static const std::vector<std::uint64_t> query_offsets{0, 1, 2}, starts{0, 3, 5},
        doc_offsets{0, 1, 2, 3, 4, 6};
    static const std::vector<double> values{1.0, 0.0, -1.0, 2.0, 1.0};
    static const engine::Pools judged(
        {{query_data, query_offsets}, starts, {doc_data, doc_offsets}, values}, 1);
    return judged;
}

const kernels::Plan& plan() {
    static const kernels::Plan measures(
        {{"ndcg", {{"k", 10.0}, {"gain", std::string("linear")}, {"level", 0.0}}},
         {"average_precision", {{"k", std::monostate{}}, {"level", 1.0}}},
         {"n_retrieved", {}}},
        {1.0});
    return measures;
}

using Values = std::optional<std::vector<double>>;

Values results(engine::Board& board, bool is_done) {
    if (!is_done) return std::nullopt;
    board.finish();
    return board.by_measure();
}

bool same_bits(const Values& a, const Values& b) {
    return a.has_value() == b.has_value() &&
           (!a || std::memcmp(a->data(), b->data(), a->size() * sizeof(double)) == 0);
}

Values score_pieces(std::string_view text, std::size_t piece, columns::Duplicates duplicates) {
    engine::Board board(pools(), plan());
    // Blocks are read with all that the processor has, pieces without.
    engine::PieceByPiece pass(board, {.duplicates = duplicates, .portable = true});
    bool is_done = true;
    for (std::size_t at = 0; at < text.size() && is_done; at += piece) {
        is_done = pass.feed(text.substr(at, piece));
    }
    return results(board, is_done && pass.finish());
}

Values score_blocks(std::string_view text, const engine::Sizes& sizes, std::size_t n_threads,
                    columns::Duplicates duplicates) {
    static const int file = memfd_create("text", 0);
    require(ftruncate(file, 0) == 0, "the file is emptied");
    require(pwrite(file, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()),
            "the file is written");
    engine::Board board(pools(), plan());
    return results(board, engine::score_file(file, text.size(), sizes, n_threads, board,
                                             {.duplicates = duplicates}, [] { return true; }));
}

// The rows of a whole text: read in pieces, they are always the same.
struct Read {
    std::size_t wrong_line;
    std::size_t n_rows;
    std::optional<std::size_t> duplicate;
    Values values;  // of a run without duplicates

    friend bool operator==(const Read& a, const Read& b) {
        return a.wrong_line == b.wrong_line && a.n_rows == b.n_rows && a.duplicate == b.duplicate &&
               same_bits(a.values, b.values);
    }
};

Read read(std::string_view text, text::Kind kind, std::size_t piece) {
    text::Reader reader({kind});
    bool is_right = true;
    for (std::size_t at = 0; at < text.size() && is_right; at += piece) {
        is_right = reader.feed(text.substr(at, piece));
    }
    is_right = is_right && reader.finish();
    require(is_right != reader.is_wrong(), "it is right, or a line is wrong");
    const auto duplicate = reader.rows().first_duplicate();
    Read found{is_right ? 0 : reader.wrong_line(),
               reader.rows().n_rows(),
               duplicate ? std::optional(reader.line_of(*duplicate)) : std::nullopt,
               {}};
    const auto columns = std::move(reader.rows()).columns(columns::Duplicates::keep_best);
    if (is_right && kind == text::Kind::run) {
        const auto span_of = [](const auto& buffer) {
            return std::span<const std::uint64_t>(buffer.data(), buffer.size());
        };
        engine::Board board(pools(), plan());
        engine::score_columns(
            {{{columns.query_data.data(), columns.query_data.size()},
              span_of(columns.query_offsets)},
             span_of(columns.starts),
             {{columns.doc_data.data(), columns.doc_data.size()}, span_of(columns.doc_offsets)},
             {columns.values.data(), columns.values.size()}},
            1, board);
        found.values = results(board, true);
    }
    return found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 4) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 4, size - 4);
    const std::size_t piece = 1 + data[0] % 64;
    const engine::Sizes sizes{
        .block = 4 + data[1] % 128u, .step = 1 + data[2] % 64u, .tail = 1 + data[3] % 64u};
    for (const text::Kind kind : {text::Kind::judgments, text::Kind::run}) {
        require(read(text, kind, piece) == read(text, kind, size), "pieces change nothing");
    }
    const Read whole = read(text, text::Kind::run, size);
    for (const auto duplicates : {columns::Duplicates::error, columns::Duplicates::keep_best}) {
        const Values streamed = score_pieces(text, piece, duplicates);
        require(same_bits(streamed, score_pieces(text, size, duplicates)), "nor in one pass");
        require(same_bits(streamed, score_blocks(text, sizes, 1 + data[0] % 2, duplicates)),
                "nor do blocks");
        if (!streamed) continue;
        require(whole.wrong_line == 0, "what is scored is right");
        require(duplicates == columns::Duplicates::keep_best || !whole.duplicate,
                "what is scored has no duplicates");
        require(same_bits(streamed, whole.values), "one pass gives what columns give");
    }
    return 0;
}
