#include "engine/columns_pass.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <optional>

#include "threads.hpp"

namespace berryeval::engine {
namespace {

constexpr std::size_t queries_at_once = 64;  // few, so that threads end at about the same time

}  // namespace

void score_columns(const Grouped& run, std::size_t n_threads, Board& board) {
    const std::size_t n_queries = run.query_ids.size();
    const std::size_t n_parts = (n_queries + queries_at_once - 1) / queries_at_once;
    n_threads = std::clamp<std::size_t>(n_parts, 1, std::max<std::size_t>(n_threads, 1));
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::exception_ptr error;
    share_out_rows(n_threads, n_threads, [&](std::size_t, std::size_t, std::size_t) {
        try {
            Scorer scorer(board, std::nullopt);
            for (std::size_t part = next++; part < n_parts; part = next++) {
                const std::size_t last = std::min(n_queries, (part + 1) * queries_at_once);
                for (std::size_t query = part * queries_at_once; query < last; ++query) {
                    scorer.begin(run.query_ids[query]);
                    for (auto row = run.starts[query]; row < run.starts[query + 1]; ++row) {
                        scorer.add(run.doc_ids[row], run.values[row]);
                    }
                    scorer.end();
                }
            }
        } catch (const std::exception&) {  // out of memory
            const std::lock_guard lock(mutex);
            error = std::current_exception();
        }
    });
    if (error) std::rethrow_exception(error);
}

}  // namespace berryeval::engine
