// Queries that one thread collects, and others score.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "engine/board.hpp"

namespace berryeval::engine {

// Memory that contains ids of a pass. Its owner keeps it as long as it is in use.
class Loan {
public:
    bool is_in_use() const { return n_users_.load(std::memory_order_acquire) > 0; }

private:
    friend class BatchPass;
    std::atomic<std::size_t> n_users_ = 0;  // batches of rows
};

// Takes rows query by query from the calling thread, and passes them to the others in batches.
// Fails if a query occurs again later, or repeats a document. The bytes of ids must remain until
// the pass is destroyed, or until their loan is no longer in use.
class BatchPass {
public:
    // With one thread, the caller does all the work, batch by batch. Without `duplicates`, there
    // are none, and no check is made.
    BatchPass(Board& board, std::optional<columns::Duplicates> duplicates, std::size_t n_threads);
    ~BatchPass();
    BatchPass(const BatchPass&) = delete;
    BatchPass& operator=(const BatchPass&) = delete;

    // The ids of the following rows are in `loan`, which stays in use at least until the next one.
    void borrow(Loan& loan) {
        loan_ = &loan;
        batch_.borrow(loan);
    }

    void begin(std::string_view query_id) {
        if (batch_.rows.size() >= rows_at_once) hand_over();
        batch_.queries.push_back({query_id, batch_.rows.size()});
    }
    void add(std::string_view doc_id, double score) { batch_.rows.push_back({doc_id, score}); }

    bool has_failed() const { return has_failed_; }

    // Waits until everything is scored; false if the pass has failed. Rethrows exceptions.
    bool finish();

private:
    static constexpr std::size_t rows_at_once = 8192;
    static constexpr std::size_t most_waiting = 8;

    struct Query {
        std::string_view id;
        std::size_t first_row;
    };
    struct Row {
        std::string_view doc_id;
        double score;
    };
    struct Batch {
        std::vector<Query> queries;
        std::vector<Row> rows;
        std::vector<Loan*> loans;  // that the rows lie in

        void borrow(Loan& loan) {
            loans.push_back(&loan);
            loan.n_users_.fetch_add(1, std::memory_order_relaxed);
        }
        // The vectors keep their memory.
        void clear() {
            queries.clear();
            rows.clear();
            for (Loan* const loan : loans) loan->n_users_.fetch_sub(1, std::memory_order_release);
            loans.clear();
        }
    };

    void hand_over();
    void pass_on(Batch full);
    void start_thread();
    void work();
    void score(Batch& batch, Scorer& scorer);
    void join();

    Board& board_;
    std::optional<columns::Duplicates> duplicates_;
    std::atomic<bool> has_failed_ = false;
    std::size_t most_threads_;  // in addition to the caller's; they start when there is work
    Batch batch_;
    Loan* loan_ = nullptr;  // of the row that comes next
    std::mutex mutex_;      // guards the following
    std::condition_variable changed_;
    std::deque<Batch> waiting_;
    std::vector<Batch> used_;  // empty, for reuse
    bool is_over_ = false;
    std::exception_ptr error_;
    std::vector<std::thread> threads_;
    Scorer own_;
};

}  // namespace berryeval::engine
