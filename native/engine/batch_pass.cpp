#include "engine/batch_pass.hpp"

#include <algorithm>
#include <utility>

namespace berryeval::engine {

BatchPass::BatchPass(Board& board, std::optional<columns::Duplicates> duplicates,
                     std::size_t n_threads)
    : board_(board),
      duplicates_(duplicates),
      most_threads_(std::max<std::size_t>(n_threads, 1) - 1),
      own_(board, duplicates) {
    threads_.reserve(most_threads_);
}

BatchPass::~BatchPass() { join(); }

void BatchPass::hand_over() {
    pass_on(std::exchange(batch_, Batch{}));
    if (loan_ != nullptr) batch_.borrow(*loan_);
}

void BatchPass::pass_on(Batch full) {
    if (threads_.size() < most_threads_) start_thread();
    if (!threads_.empty()) {
        const std::lock_guard lock(mutex_);
        if (!used_.empty()) {
            batch_ = std::move(used_.back());
            used_.pop_back();
        }
        if (waiting_.size() < most_waiting) {
            waiting_.push_back(std::move(full));
            changed_.notify_one();
            return;
        }
    }
    score(full, own_);  // the other threads have enough work
    if (threads_.empty()) batch_ = std::move(full);
}

void BatchPass::start_thread() {
    try {
        threads_.emplace_back([this] { work(); });
    } catch (const std::exception&) {  // no further thread is available
        most_threads_ = threads_.size();
    }
}

void BatchPass::work() {
    try {
        Scorer scorer(board_, duplicates_);
        Batch batch;
        for (;;) {
            {
                std::unique_lock lock(mutex_);
                if (batch.rows.capacity() > 0) used_.push_back(std::move(batch));
                changed_.wait(lock, [this] { return is_over_ || !waiting_.empty(); });
                if (waiting_.empty()) return;
                batch = std::move(waiting_.front());
                waiting_.pop_front();
            }
            score(batch, scorer);
        }
    } catch (const std::exception&) {  // out of memory
        const std::lock_guard lock(mutex_);
        error_ = std::current_exception();
    }
}

// Leaves the batch empty.
void BatchPass::score(Batch& batch, Scorer& scorer) {
    for (std::size_t i = 0; i < batch.queries.size() && !has_failed_; ++i) {
        const std::size_t first = batch.queries[i].first_row;
        const std::size_t last =
            i + 1 < batch.queries.size() ? batch.queries[i + 1].first_row : batch.rows.size();
        scorer.begin(batch.queries[i].id);
        for (std::size_t row = first; row < last; ++row) {
            scorer.add(batch.rows[row].doc_id, batch.rows[row].score);
        }
        if (!scorer.end()) has_failed_ = true;
    }
    batch.clear();
}

bool BatchPass::finish() {
    score(batch_, own_);
    // Waiting batches are shared with the other threads.
    for (;;) {
        Batch batch;
        {
            const std::lock_guard lock(mutex_);
            if (waiting_.empty()) break;
            batch = std::move(waiting_.back());
            waiting_.pop_back();
        }
        score(batch, own_);
    }
    join();
    if (error_) std::rethrow_exception(error_);
    return !has_failed_;
}

void BatchPass::join() {
    {
        const std::lock_guard lock(mutex_);
        is_over_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) {
        if (thread.joinable()) thread.join();
    }
}

}  // namespace berryeval::engine
