#include "engine/text_pass.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <limits>
#include <thread>
#include <utility>

#include "engine/file_window.hpp"
#include "engine/scan_lines.hpp"
#include "processor.hpp"
#include "text/line.hpp"
#include "threads.hpp"

namespace berryeval::engine {
namespace {

// Local to this file: the loop has one caller, so everything it calls can be inlined.
struct Inlined : text::BaselineWhite {};

bool holds_nul(const char* begin, const char* end) {
    return std::memchr(begin, 0, static_cast<std::size_t>(end - begin)) != nullptr;
}

}  // namespace

const TextPass::Scan TextPass::baseline_scan = &TextPass::scan_lines<Inlined>;

TextPass::Scan TextPass::choose_scan([[maybe_unused]] bool portable) {
#ifdef BERRYEVAL_HAS_AVX2
    if (!portable && processor_has_avx2()) return avx2_scan;
#endif
    return baseline_scan;
}

const char* TextPass::scan(const char* begin, const char* end, const char* stop, bool is_end) {
    // trec_eval treats a NUL as the end of a string.
    if (rules_ == text::Rules::trec_eval && holds_nul(begin, end)) {
        has_failed_ = true;
        return begin;
    }
    return (this->*scan_)(begin, end, stop, is_end);
}

bool PieceByPiece::feed(std::string_view piece) { return !pieces_.add(piece) || scan(false); }

bool PieceByPiece::finish() { return scan(true); }

bool PieceByPiece::scan(bool is_end) {
    const char* const end = pieces_.end();
    pieces_.drop_before(pass_.scan(pieces_.begin(), end, end, is_end));
    return !pass_.has_failed();
}

namespace {

constexpr std::size_t least_block_bytes = std::size_t{256} << 10;
constexpr std::size_t most_block_bytes = std::size_t{8} << 20;

// A query belongs to the block in which its first line begins.
class BlockPass {
public:
    BlockPass(int file, const Sizes& sizes, TextPass&& pass)
        : sizes_(sizes), window_(file), pass_(std::move(pass)) {}

    // Scores the queries of the block [first, last). False if that failed, or if it was stopped.
    template <class GoOn>
    bool score(std::size_t first, std::size_t last, const GoOn& go_on) {
        pass_.restart();
        if (!find_beginning(first)) return true;
        for (;;) {
            const bool is_past_end = window_.offset() + window_.size() >= last;
            const std::size_t step = is_past_end ? sizes_.tail : sizes_.step;
            window_.extend(std::max(step, window_.size()));  // a long query: read twice as much
            if (window_.offset() == 0) skip_mark();
            const char* const begin = window_.begin();
            const std::size_t left = last > window_.offset() ? last - window_.offset() : 0;
            const char* const stop = begin + std::min(left, window_.size());
            const char* const rest = pass_.scan(begin, window_.end(), stop, window_.is_at_end());
            if (pass_.has_failed() || !go_on()) return false;
            if (pass_.has_stopped() || window_.is_at_end()) return true;
            window_.drop_before(rest);
        }
    }

private:
    // Moves the window to the first line that begins at `first` or later, and makes the pass skip
    // lines that belong to the query of the previous line. False if no line begins there.
    bool find_beginning(std::size_t first) {
        window_.move_to(first);
        if (first == 0) return true;
        for (std::size_t back = sizes_.tail;; back *= 2) {
            const std::size_t from = first > back ? first - back : 0;
            window_.move_to(from);
            window_.extend(first - from);
            if (window_.size() < first - from) return false;  // the file has shrunk
            // The newline before the first line of the block may be the last byte before it.
            std::size_t newline_from = first - from - 1;
            const char* newline = nullptr;
            for (;;) {
                newline = text::line_end(window_.begin() + newline_from, window_.end());
                if (newline != window_.end()) break;
                if (window_.is_at_end()) return false;
                newline_from = window_.size();
                window_.extend(std::max(sizes_.tail, window_.size()));
            }
            const auto query_id = last_query(window_.begin(), newline, from == 0);
            if (query_id.empty() && from > 0) continue;
            pass_.skip(query_id);
            window_.drop_before(newline + 1);
            return true;
        }
    }

    // The query of the last line in [begin, end) that has one. The first line only counts if the
    // text `is_whole`, since its beginning may be missing.
    static std::string_view last_query(const char* begin, const char* end, bool is_whole) {
        if (is_whole && std::string_view(begin, end).starts_with(text::byte_order_mark)) {
            begin += text::byte_order_mark.size();
        }
        for (const char* line_end = end;;) {
            const std::string_view before(begin, line_end);
            const std::size_t newline = before.rfind('\n');
            if (newline == std::string_view::npos) {
                return is_whole ? text::query_of_line(begin, line_end) : std::string_view{};
            }
            const auto query_id = text::query_of_line(begin + newline + 1, line_end);
            if (!query_id.empty()) return query_id;
            line_end = begin + newline;
        }
    }

    void skip_mark() {
        if (std::string_view(window_.begin(), window_.end()).starts_with(text::byte_order_mark)) {
            window_.drop_before(window_.begin() + text::byte_order_mark.size());
        }
    }

    const Sizes sizes_;
    FileWindow window_;
    TextPass pass_;
};

}  // namespace

bool score_file(int file, std::size_t size, const Sizes& sizes, std::size_t n_threads, Board& board,
                const Manner& manner, const std::function<bool()>& go_on) {
    n_threads = std::max<std::size_t>(n_threads, 1);
    // Several blocks per thread, so that no thread waits long for another.
    const std::size_t block =
        sizes.block > 0 ? sizes.block
                        : std::clamp(size / (4 * n_threads), least_block_bytes, most_block_bytes);
    const std::size_t n_blocks = std::max<std::size_t>(1, (size + block - 1) / block);
    std::atomic<std::size_t> next{0};
    std::atomic<bool> is_over{false};
    n_threads = std::min(n_threads, n_blocks);
    const std::thread::id caller = std::this_thread::get_id();
    share_out_rows(n_threads, n_threads, [&](std::size_t, std::size_t, std::size_t) {
        const auto goes_on = [&, is_caller = std::this_thread::get_id() == caller] {
            if (is_caller && !go_on()) is_over = true;
            return !is_over;
        };
        try {
            BlockPass pass(file, sizes, TextPass(board, manner));
            for (std::size_t i = next++; i < n_blocks && !is_over; i = next++) {
                // A file that has grown in the meantime is read to its end.
                const bool is_last = i + 1 == n_blocks;
                const std::size_t last =
                    is_last ? std::numeric_limits<std::size_t>::max() : (i + 1) * block;
                if (!pass.score(i * block, last, goes_on)) is_over = true;
            }
        } catch (const std::exception&) {  // out of memory, or the file cannot be read
            is_over = true;
        }
    });
    return !is_over;
}

}  // namespace berryeval::engine
