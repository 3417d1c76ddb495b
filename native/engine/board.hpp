// Collects the scores of all judged queries, from any number of threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "columns/hash.hpp"
#include "engine/intents.hpp"
#include "engine/lengths.hpp"
#include "engine/pool.hpp"
#include "engine/ranker.hpp"
#include "engine/strata.hpp"
#include "kernels/plan.hpp"

namespace berryeval::engine {

class Board {
public:
    // The grades of the first `n_grades` documents of each ranking are kept. Without `intents`,
    // each query is its own single intent; without `strata`, a pool has only judged documents;
    // without `lengths`, no document has one.
    Board(const Pools& pools, const kernels::Plan& plan, const Cut& cut = {},
          std::size_t n_grades = 0, const Intents* intents = nullptr,
          const Strata* strata = nullptr, const Lengths* lengths = nullptr);

    const Pools& pools() const { return pools_; }
    // The judgments of other queries that a ranker needs; null if no measure requires them.
    const DocumentTable* judged() const {
        return plan_.looks_across_queries() ? &pools_.documents() : nullptr;
    }
    // The lengths that a ranker has to find; none if no measure requires them.
    Sizing sizing() const {
        const std::size_t n_ranks = plan_.n_lengths();
        return {n_ranks > 0 ? lengths_ : nullptr, n_ranks};
    }
    const Cut& cut() const { return cut_; }

    // Takes a query by its number among the pools, if it has one; false if it was taken before.
    bool take(std::string_view query_id, std::optional<std::size_t> number);

    // Scores a query that was taken.
    void score(std::size_t number, const kernels::Ranking& ranking, kernels::Scratch& scratch);

    // Scores the remaining queries as empty rankings.
    void finish();

    // One number per query and measure: all queries of the first measure, then those of the next.
    std::vector<double> by_measure() const;
    // The grades that are kept for a query, in the form of berryeval.kernels; NaN after the end of
    // its ranking.
    std::span<const double> first_grades(std::size_t number) const {
        return {first_grades_.data() + number * n_grades_, n_grades_};
    }
    bool was_taken(std::size_t number) const { return taken_[number]; }
    std::size_t n_ignored() const { return ignored_.size(); }
    // The first queries without judgments, by their ids as bytes.
    std::vector<std::string> first_ignored(std::size_t count) const;

private:
    struct HashId {
        std::size_t operator()(std::string_view id) const {
            return static_cast<std::size_t>(columns::hash_id(id, columns::process_seed()));
        }
    };

    const Pools& pools_;
    const kernels::Plan& plan_;
    Cut cut_;
    const Intents* intents_;
    const Strata* strata_;
    const Lengths* lengths_;
    std::vector<double> values_;  // query by query
    std::size_t n_grades_;
    std::vector<double> first_grades_;
    std::vector<std::atomic<bool>> taken_;
    std::mutex mutex_;  // guards ignored_
    std::unordered_set<std::string, HashId> ignored_;
};

// Scores one query after the other. Each thread has its own.
class Scorer {
public:
    // Without `duplicates`, there are none, and no check is made.
    Scorer(Board& board, std::optional<columns::Duplicates> duplicates)
        : board_(board), duplicates_(duplicates), ranker_(board.judged(), board.sizing()) {}

    void begin(std::string_view query_id) {
        query_id_ = query_id;
        number_ = board_.pools().find(query_id);
        ranker_.begin(number_ ? &board_.pools()[*number_] : nullptr);
    }

    void add(std::string_view doc_id, double score) { ranker_.add(doc_id, score); }

    // False if the query was scored before, or repeats a document.
    bool end();

private:
    Board& board_;
    std::optional<columns::Duplicates> duplicates_;
    std::string_view query_id_;
    std::optional<std::size_t> number_;
    Ranker ranker_;
    kernels::Scratch scratch_;
};

}  // namespace berryeval::engine
