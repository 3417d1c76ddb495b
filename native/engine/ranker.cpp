#include "engine/ranker.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace berryeval::engine {

bool Ranker::refuses_duplicates(columns::Duplicates duplicates) {
    if (!find_suspects()) return false;
    if (rows_.size() >= std::numeric_limits<std::uint32_t>::max()) {
        throw std::length_error("more than 2^32 - 2 documents of one query");
    }
    const std::size_t size = std::bit_ceil(2 * suspects_.size() + 1);
    table_.assign(size, 0);
    std::vector<std::size_t> repeated;
    for (const std::size_t row : suspects_) {
        // Others than those that made it a suspect.
        std::size_t i = (rows_[row].hash >> 40) & (size - 1);
        for (; table_[i] != 0; i = (i + 1) & (size - 1)) {
            Row& first = rows_[table_[i] - 1];
            if (first.hash != rows_[row].hash || first.doc_id != rows_[row].doc_id) continue;
            if (duplicates == columns::Duplicates::error) return true;
            first.score = std::max(first.score, rows_[row].score);
            repeated.push_back(row);
            break;
        }
        if (table_[i] == 0) table_[i] = static_cast<std::uint32_t>(row + 1);
    }
    if (!repeated.empty()) drop(repeated);
    return false;
}

// Finds the rows that share some bits of their hash with another: all that are there twice, and a
// few more. Where they fall into a wide field of bits is found without a branch; in a table that
// holds all of them, every third branch would be a surprise to the processor.
bool Ranker::find_suspects() {
    const std::size_t last_word = std::bit_ceil(rows_.size() / 2 + 1) - 1;
    const auto word_of = [last_word](const Row& row) { return row.hash / 64 & last_word; };
    const auto bit_of = [](const Row& row) { return std::uint64_t{1} << (row.hash % 64); };
    seen_.assign(last_word + 1, {0, 0});
    std::uint64_t is_any_twice = 0;
    for (const Row& row : rows_) {
        Seen& seen = seen_[word_of(row)];
        const std::uint64_t again = seen.once & bit_of(row);
        is_any_twice |= again;
        seen.twice |= again;
        seen.once |= bit_of(row);
    }
    suspects_.clear();
    if (is_any_twice == 0) return false;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        if (seen_[word_of(rows_[row])].twice & bit_of(rows_[row])) suspects_.push_back(row);
    }
    return true;
}

// `repeated` rises. What is left is no longer known to be in order.
void Ranker::drop(std::span<const std::size_t> repeated) {
    std::vector<Row> rows;
    std::swap(rows, rows_);
    const Pool* const pool = pool_;
    begin(pool);
    std::size_t next = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        if (next < repeated.size() && repeated[next] == row) {
            ++next;
        } else {
            add(rows[row].doc_id, rows[row].score);
        }
    }
}

kernels::Ranking Ranker::ranking(const Cut& cut) {
    hits_.clear();
    if (in_order_) {
        for (const Found& found : found_) {
            hits_.push_back(
                {static_cast<std::uint32_t>(found.row + 1), found.pool_row, found.grade});
        }
    } else {
        rank_by_counting();
    }
    if (judged_ != nullptr) split_off_elsewhere();
    if (sizing_.lengths != nullptr) find_lengths(cut);
    std::size_t n_retrieved = rows_.size();
    if (n_retrieved > cut.most) {
        n_retrieved = cut.most;
        while (!hits_.empty() && hits_.back().rank > cut.most) hits_.pop_back();
        while (!elsewhere_.empty() && elsewhere_.back() > cut.most) elsewhere_.pop_back();
    }
    if (cut.judged_only) {
        std::erase_if(hits_, [](const kernels::Hit& hit) { return hit.grade < 0.0; });
        elsewhere_.clear();
        lengths_.clear();
        n_retrieved = hits_.size();
        for (std::size_t i = 0; i < hits_.size(); ++i) {
            hits_[i].rank = static_cast<std::uint32_t>(i + 1);
        }
    }
    return {.n_retrieved = n_retrieved,
            .hits = hits_,
            .judged = pool_ != nullptr ? pool_->judged() : std::span<const double>{},
            .judged_elsewhere = elsewhere_,
            .lengths = lengths_};
}

// Sorts as many documents as have to have their lengths known.
void Ranker::find_lengths(const Cut& cut) {
    const std::size_t n_sized = std::min({rows_.size(), sizing_.n_ranks, cut.most});
    lengths_.clear();
    const auto add = [this](const Row& row) {
        lengths_.push_back(sizing_.lengths->of(row.doc_id, row.hash));
    };
    if (in_order_) {
        for (std::size_t i = 0; i < n_sized; ++i) add(rows_[i]);
        return;
    }
    order_.resize(rows_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    const auto middle = order_.begin() + static_cast<std::ptrdiff_t>(n_sized);
    std::partial_sort(order_.begin(), middle, order_.end(), [this](std::size_t a, std::size_t b) {
        return stands_above(rows_[a], rows_[b].score, rows_[b].doc_id);
    });
    for (std::size_t i = 0; i < n_sized; ++i) add(rows_[order_[i]]);
}

// Moves documents that only other queries judge from the hits to a list of their own.
void Ranker::split_off_elsewhere() {
    elsewhere_.clear();
    std::erase_if(hits_, [this](const kernels::Hit& hit) {
        const bool is_elsewhere = hit.grade == kernels::not_in_pool;
        if (is_elsewhere) elsewhere_.push_back(hit.rank);
        return is_elsewhere;
    });
}

// Sorts the few documents in the pool, and counts how many of all stand above each of them.
void Ranker::rank_by_counting() {
    const auto above = [this](const Found& a, const Found& b) {
        return stands_above(rows_[a.row], rows_[b.row].score, rows_[b.row].doc_id);
    };
    std::sort(found_.begin(), found_.end(), above);
    // How many rows stand above found_[i] and below, or at, the one before it.
    n_above_.assign(found_.size() + 1, 0);
    for (const Row& row : rows_) {
        const auto place =
            std::partition_point(found_.begin(), found_.end(), [&](const Found& found) {
                return !stands_above(row, rows_[found.row].score, rows_[found.row].doc_id);
            });
        ++n_above_[static_cast<std::size_t>(place - found_.begin())];
    }
    std::size_t n_above = 0;
    for (std::size_t i = 0; i < found_.size(); ++i) {
        n_above += n_above_[i];
        hits_.push_back(
            {static_cast<std::uint32_t>(n_above + 1), found_[i].pool_row, found_[i].grade});
    }
}

}  // namespace berryeval::engine
