// Runs as text, scored in one pass: each query is read, scored and discarded.
//
// The lines of a query must be adjacent. If they are not, or if there is any error, the pass
// fails, and the run has to be read as a whole.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "engine/board.hpp"
#include "text/pieces.hpp"

namespace berryeval::engine {

// How a text is read. `portable` only uses instructions of the platform's baseline.
struct Manner {
    columns::Duplicates duplicates = columns::Duplicates::error;
    text::Rules rules = text::Rules::ours;
    bool portable = false;
};

// Scores the queries in a text.
class TextPass {
public:
    TextPass(Board& board, const Manner& manner)
        : scorer_(board, manner.duplicates),
          rules_(manner.rules),
          scan_(choose_scan(manner.portable)) {}

    // Prepares it for another position in the text.
    void restart() {
        skipped_.clear();
        has_stopped_ = false;
    }

    // Skips the lines of this query until another one begins.
    void skip(std::string_view query_id) { skipped_ = query_id; }

    // Scores all queries in [begin, end) whose last line is certainly included, which is known from
    // a line of the next query, or from `is_end`. Begins at the beginning of a line. Stops before a
    // query that begins at `stop` or later. Returns the beginning of the rest. text::padding is the
    // number of bytes that may be read after `end`.
    const char* scan(const char* begin, const char* end, const char* stop, bool is_end);

    bool has_failed() const { return has_failed_; }
    bool has_stopped() const { return has_stopped_; }

private:
    using Scan = const char* (TextPass::*)(const char*, const char*, const char*, bool);

    template <class White>
    const char* scan_lines(const char* begin, const char* end, const char* stop, bool is_end);

    static Scan choose_scan(bool portable);
    static const Scan baseline_scan;
#ifdef BERRYEVAL_HAS_AVX2
    static const Scan avx2_scan;
#endif

    Scorer scorer_;
    text::Rules rules_;
    Scan scan_;
    std::string skipped_;
    bool has_failed_ = false;
    bool has_stopped_ = false;
};

// A pass over text that arrives in pieces, for example from a decompressor.
class PieceByPiece {
public:
    PieceByPiece(Board& board, const Manner& manner) : pass_(board, manner) {}

    // False as soon as the pass has failed.
    bool feed(std::string_view piece);
    bool finish();

private:
    bool scan(bool is_end);

    text::Pieces pieces_;
    TextPass pass_;
};

// Sizes of reads. A block is longer than a byte order mark; no other size is 0.
struct Sizes {
    std::size_t block = 0;                      // of one thread's work; 0 means the default
    std::size_t step = std::size_t{512} << 10;  // fits into a core's own cache
    std::size_t tail = std::size_t{64} << 10;   // to find the end of a block's last query
};

// A pass with several threads over a file of `size` bytes, given by its descriptor. The calling
// thread calls `go_on` every few milliseconds. False if the pass has failed or was stopped.
bool score_file(int file, std::size_t size, const Sizes& sizes, std::size_t n_threads, Board& board,
                const Manner& manner, const std::function<bool()>& go_on);

}  // namespace berryeval::engine
