// Judgments, prepared for looking up documents: one pool of judged documents per query.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "columns/hash.hpp"

namespace berryeval::engine {

// Contiguous ids, and where each begins: the contents of berryeval.core.id_column.IdColumn.
struct IdColumn {
    std::string_view data;
    std::span<const std::uint64_t> offsets;

    std::size_t size() const { return offsets.size() - 1; }
    std::string_view operator[](std::size_t i) const {
        return data.substr(offsets[i], offsets[i + 1] - offsets[i]);
    }
};

// The contents of berryeval.core.grouped.Grouped. It owns nothing.
struct Grouped {
    IdColumn query_ids;
    std::span<const std::uint64_t> starts;
    IdColumn doc_ids;
    std::span<const double> values;
};

// The judged documents of one query. It owns nothing.
class Pool {
public:
    // A slot of an open-addressing table.
    struct Slot {
        std::uint32_t tag;     // half of a hash
        std::uint32_t number;  // of the row in the pool, from 1; 0 is free
    };

    Pool() = default;  // for assignment

    // The memory of a pool, lent to it: slots and words, in powers of two and all 0, and room for
    // the grade of each row.
    struct Room {
        std::span<Slot> slots;
        std::span<std::uint64_t> filter;
        double* judged;
    };

    // Takes the rows from `first` up to `last`.
    Pool(const Grouped& judgments, std::size_t first, std::size_t last, const Room& room);

    // A document in the pool: its grade, in the form of berryeval.kernels, and its row in the pool.
    struct Judged {
        double grade;
        std::uint32_t row;
    };

    // False for nearly every document outside the pool, and never for one in it.
    bool may_hold(std::uint64_t hash) const { return filter_[word_of(hash)] >> (hash % 64) & 1; }

    // The judgment of a document; nothing if it is not in the pool.
    std::optional<Judged> judgment_of(std::string_view doc_id, std::uint64_t hash) const {
        return may_hold(hash) ? find(doc_id, hash) : std::nullopt;
    }

    // Grades of 0 and more, falling.
    std::span<const double> judged() const { return judged_; }

    bool lacks_relevant() const { return judged_.empty() || judged_.front() < 1.0; }

private:
    std::size_t word_of(std::uint64_t hash) const { return hash / 64 & last_word_; }

    std::optional<Judged> find(std::string_view doc_id, std::uint64_t hash) const {
        for (std::size_t i = hash & mask_; slots_[i].number != 0; i = (i + 1) & mask_) {
            if (slots_[i].tag == static_cast<std::uint32_t>(hash >> 32)) {
                const std::size_t row = first_ + slots_[i].number - 1;
                if (columns::are_same(judgments_->doc_ids[row], doc_id)) {
                    return Judged{usable(judgments_->values[row]), slots_[i].number - 1};
                }
            }
        }
        return std::nullopt;
    }

    static double usable(double grade);

    const Grouped* judgments_ = nullptr;
    std::size_t first_ = 0;
    const Slot* slots_ = nullptr;
    std::size_t mask_ = 0;
    const std::uint64_t* filter_ = nullptr;  // a bit for each document, set where one may be
    std::size_t last_word_ = 0;              // of the filter, all ones
    std::span<const double> judged_;
};

// Documents by id, each once. It does not own the ids.
class DocumentTable {
public:
    explicit DocumentTable(const IdColumn& doc_ids);

    bool contains(std::string_view doc_id, std::uint64_t hash) const;

    // The first row of a document among the ids; nothing if it is not there.
    std::optional<std::size_t> row_of(std::string_view doc_id, std::uint64_t hash) const;

private:
    // The slot of a document in the table, or the free one where it would be.
    std::size_t place_of(std::string_view doc_id, std::uint64_t hash) const;

    IdColumn doc_ids_;
    std::vector<Pool::Slot> slots_;  // their numbers are those of rows, from 1
};

// All pools, in the order of their queries' ids as bytes.
class Pools {
public:
    Pools(const Grouped& judgments, std::size_t n_threads);
    Pools(const Pools&) = delete;
    Pools& operator=(const Pools&) = delete;

    std::size_t size() const { return pools_.size(); }
    const Pool& operator[](std::size_t number) const { return pools_[number]; }

    // The number of a query's pool, if it has one.
    std::optional<std::size_t> find(std::string_view query_id) const;

    // For each pool, the position of its query in the judgments.
    std::span<const std::uint64_t> order() const { return order_; }

    // The documents of all pools, collected on the first call. Threads may call it concurrently.
    const DocumentTable& documents() const;
    const Grouped& judgments() const { return judgments_; }

private:
    void sort_queries();
    void make_table();

    Grouped judgments_;
    std::vector<std::uint64_t> order_;
    std::vector<Pool::Slot> slots_;      // of all pools
    std::vector<std::uint64_t> filter_;  // of all pools
    std::vector<double> judged_;         // of all pools
    std::vector<Pool> pools_;
    std::vector<std::uint32_t> table_;  // of pools by the hash of their query, from 1
    mutable std::once_flag is_collected_;
    mutable std::optional<DocumentTable> documents_;
};

}  // namespace berryeval::engine
