// One query's documents, sorted as far as the measures require.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "columns/grouping.hpp"
#include "columns/hash.hpp"
#include "engine/lengths.hpp"
#include "engine/pool.hpp"
#include "kernels/ranking.hpp"

namespace berryeval::engine {

// The part of a ranking that counts.
struct Cut {
    std::size_t most = std::numeric_limits<std::size_t>::max();  // of its documents
    bool judged_only = false;                                    // of these, those with a grade
};

// Finds the ranks of the documents in the pool. By score, highest first; ties by id as bytes,
// highest first. Documents outside the pool are counted, and sorted only for their lengths.
class Ranker {
public:
    // With `judged`, it also finds the ranks of documents that only other queries judge, and with
    // `sizing` the lengths of the first documents.
    explicit Ranker(const DocumentTable* judged = nullptr, const Sizing& sizing = {})
        : judged_(judged), sizing_(sizing) {}

    // `pool` is null for a query without judgments.
    void begin(const Pool* pool) {
        pool_ = pool;
        rows_.clear();
        found_.clear();
        in_order_ = true;
        last_score_ = std::numeric_limits<double>::infinity();
    }

    // The bytes of the id must remain until the ranking has been used. Rare cases have separate
    // functions, so that the rest can be inlined into the loop over lines.
    void add(std::string_view doc_id, double score) {
        const std::uint64_t hash = columns::hash_id(doc_id, seed_);
        if (in_order_ && !(score < last_score_)) [[unlikely]]
            in_order_ = breaks_tie(doc_id, score);
        last_score_ = score;
        if (pool_ != nullptr && (pool_->may_hold(hash) || judged_ != nullptr)) [[unlikely]]
            look_up(doc_id, hash);
        rows_.push_back({doc_id, hash, score});
    }

    // Whether a document is repeated and that is an error. Otherwise the best is kept.
    bool refuses_duplicates(columns::Duplicates duplicates);

    // The documents in the pool, by rank, in the part of the ranking that counts.
    kernels::Ranking ranking(const Cut& cut);

private:
    struct Row {
        std::string_view doc_id;
        std::uint64_t hash;
        double score;
    };
    struct Found {
        std::size_t row;
        std::uint32_t pool_row;
        double grade;
    };

    static bool stands_above(const Row& row, double score, std::string_view doc_id) {
        return row.score != score ? row.score > score : row.doc_id > doc_id;
    }
    static bool are_same(const Row& a, const Row& b) {
        return a.hash == b.hash && columns::are_same(a.doc_id, b.doc_id);
    }
    // Whether a document that does not score below the previous one still ranks below it.
    bool breaks_tie(std::string_view doc_id, double score) const;
    void look_up(std::string_view doc_id, std::uint64_t hash);
    void drop(std::span<const std::size_t> repeated);
    void rank_by_counting();
    void split_off_elsewhere();
    void find_lengths(const Cut& cut);

    columns::Seed seed_ = columns::process_seed();
    const DocumentTable* judged_;
    Sizing sizing_;
    const Pool* pool_ = nullptr;
    std::vector<Row> rows_;
    std::vector<Found> found_;  // the rows in the pool, and those that only other queries judge
    bool in_order_ = true;
    double last_score_ = std::numeric_limits<double>::infinity();
    std::vector<std::uint32_t> table_;  // of rows by hash, from 1
    std::vector<std::size_t> n_above_;
    std::vector<kernels::Hit> hits_;
    std::vector<std::uint32_t> elsewhere_;  // ranks
    std::vector<std::size_t> order_;        // the first rows, by rank
    std::vector<double> lengths_;           // of their documents
};

}  // namespace berryeval::engine
