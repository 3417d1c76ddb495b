// Judgments, made ready for looking documents up: one pool of judged documents a query.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace berryeval::engine {

// Ids end to end, and where each begins: what berryeval.core.id_column.IdColumn holds.
struct IdColumn {
    std::string_view data;
    std::span<const std::uint64_t> offsets;

    std::size_t size() const { return offsets.size() - 1; }
    std::string_view operator[](std::size_t i) const {
        return data.substr(offsets[i], offsets[i + 1] - offsets[i]);
    }
};

// What berryeval.core.grouped.Grouped holds. It owns nothing.
struct Grouped {
    IdColumn query_ids;
    std::span<const std::uint64_t> starts;
    IdColumn doc_ids;
    std::span<const double> values;
};

// The judged documents of one query.
class Pool {
public:
    Pool(const Grouped& judgments, std::size_t first, std::size_t last);

    // The grade of a document, as berryeval.kernels takes it; nothing if it is not in the pool.
    std::optional<double> grade_of(std::string_view doc_id, std::uint64_t hash) const {
        for (std::size_t i = hash & mask_; slots_[i].number != 0; i = (i + 1) & mask_) {
            if (slots_[i].tag == static_cast<std::uint32_t>(hash >> 32)) {
                const std::size_t row = first_ + slots_[i].number - 1;
                if (judgments_->doc_ids[row] == doc_id) return usable(judgments_->values[row]);
            }
        }
        return std::nullopt;
    }

    // Grades of 0 and more, falling.
    std::span<const double> judged() const { return judged_; }

    bool lacks_relevant() const { return judged_.empty() || judged_.front() < 1.0; }

private:
    struct Slot {
        std::uint32_t tag;
        std::uint32_t number;  // of the row in this pool, from 1; 0 is free
    };

    static double usable(double grade);

    const Grouped* judgments_;
    std::size_t first_;
    std::size_t mask_;
    std::vector<Slot> slots_;
    std::vector<double> judged_;
};

// All pools, in the order of their queries' ids as bytes.
class Pools {
public:
    explicit Pools(const Grouped& judgments);
    Pools(const Pools&) = delete;
    Pools& operator=(const Pools&) = delete;

    std::size_t size() const { return pools_.size(); }
    const Pool& operator[](std::size_t number) const { return pools_[number]; }

    // Which pool is that of a query, if it has one.
    std::optional<std::size_t> find(std::string_view query_id) const {
        const auto found = number_of_.find(query_id);
        if (found == number_of_.end()) return std::nullopt;
        return found->second;
    }

    // For each pool the place of its query in the judgments.
    std::span<const std::uint64_t> order() const { return order_; }

private:
    Grouped judgments_;
    std::vector<std::uint64_t> order_;
    std::vector<Pool> pools_;
    std::unordered_map<std::string_view, std::size_t> number_of_;
};

}  // namespace berryeval::engine
