#include "engine/ranker.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace berryeval::engine {
namespace {

// Nearly every document finds its first slot free, so branch prediction succeeds; if so many slots
// would exceed the cache, there are as few as still work well.
std::size_t n_places(std::size_t n_rows) {
    constexpr std::size_t most_sparse = std::size_t{1} << 16;
    return std::bit_ceil(std::max(2 * n_rows, std::min(8 * n_rows, most_sparse)) + 1);
}

}  // namespace

bool Ranker::breaks_tie(std::string_view doc_id, double score) const {
    return rows_.empty() || stands_above(rows_.back(), score, doc_id);
}

void Ranker::look_up(std::string_view doc_id, std::uint64_t hash) {
    if (const auto judged = pool_->judgment_of(doc_id, hash)) {
        found_.push_back({rows_.size(), judged->row, judged->grade});
    } else if (judged_ != nullptr && judged_->contains(doc_id, hash)) {
        found_.push_back({rows_.size(), 0, kernels::not_in_pool});
    }
}

bool Ranker::refuses_duplicates(columns::Duplicates duplicates) {
    if (rows_.size() >= std::numeric_limits<std::uint32_t>::max()) {
        throw std::length_error("more than 2^32 - 2 documents of one query");
    }
    table_.assign(n_places(rows_.size()), 0);
    std::uint32_t* const table = table_.data();
    const std::size_t last_place = table_.size() - 1;
    const Row* const rows = rows_.data();
    const auto n_rows = static_cast<std::uint32_t>(rows_.size());
    std::vector<std::size_t> repeated;
    for (std::uint32_t row = 0; row < n_rows; ++row) {
        std::size_t i = rows[row].hash & last_place;
        while (table[i] != 0 && !are_same(rows[table[i] - 1], rows[row])) i = (i + 1) & last_place;
        if (table[i] == 0) [[likely]] {
            table[i] = row + 1;
        } else if (duplicates == columns::Duplicates::error) {
            return true;
        } else {
            Row& first = rows_[table[i] - 1];
            first.score = std::max(first.score, rows[row].score);
            repeated.push_back(row);
        }
    }
    if (!repeated.empty()) drop(repeated);
    return false;
}

// `repeated` increases. The remaining rows may no longer be in order.
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

// Sorts the documents whose lengths are required.
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

// Moves documents that only other queries judge from the hits to a separate list.
void Ranker::split_off_elsewhere() {
    elsewhere_.clear();
    std::erase_if(hits_, [this](const kernels::Hit& hit) {
        const bool is_elsewhere = hit.grade == kernels::not_in_pool;
        if (is_elsewhere) elsewhere_.push_back(hit.rank);
        return is_elsewhere;
    });
}

// Sorts the few documents in the pool, and counts how many of all rank above each of them.
void Ranker::rank_by_counting() {
    const auto above = [this](const Found& a, const Found& b) {
        return stands_above(rows_[a.row], rows_[b.row].score, rows_[b.row].doc_id);
    };
    std::sort(found_.begin(), found_.end(), above);
    // The number of rows above found_[i] and below, or at, the previous one.
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
