// Distributes rows among threads. Each row is computed independently, so the number of threads
// never changes a bit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace berryeval {

inline constexpr std::size_t cache_line = 64;

// The working memory of one thread, in its own blocks, since threads that write to the same cache
// line wait for each other. It is not initialised.
class Arena {
public:
    template <class T>
    std::span<T> take(std::size_t count) {
        static_assert(std::is_trivially_destructible_v<T>);
        const std::size_t bytes = (count * sizeof(T) + cache_line - 1) / cache_line * cache_line;
        if (bytes > left_) {
            left_ = std::max(bytes, block_bytes);
            Block block(new (std::align_val_t{cache_line}) std::byte[left_]);
            next_ = block.get();
            blocks_.push_back(std::move(block));
        }
        T* const taken = reinterpret_cast<T*>(next_);
        next_ += bytes;
        left_ -= bytes;
        return {taken, count};
    }

private:
    static constexpr std::size_t block_bytes = 16 * 1024;

    struct Free {
        void operator()(std::byte* block) const {
            ::operator delete[](block, std::align_val_t{cache_line});
        }
    };

    using Block = std::unique_ptr<std::byte[], Free>;

    std::vector<Block> blocks_;
    std::byte* next_ = nullptr;
    std::size_t left_ = 0;
};

// Calls work(thread, first, last) for consecutive parts of [0, n_rows), one part per thread.
// `work` must not throw. If no thread can be started for a part, the caller does it.
template <class Work>
void share_out_rows(std::size_t n_rows, std::size_t n_threads, const Work& work) {
    n_threads = std::max<std::size_t>(n_threads, 1);
    const std::size_t part = (n_rows + n_threads - 1) / n_threads;
    std::vector<std::thread> threads;
    threads.reserve(n_threads);
    for (std::size_t thread = 1; thread < n_threads; ++thread) {
        const std::size_t first = std::min(n_rows, thread * part);
        const std::size_t last = std::min(n_rows, first + part);
        try {
            threads.emplace_back([=, &work] { work(thread, first, last); });
        } catch (const std::exception&) {  // no thread available, or no memory for one
            work(thread, first, last);
        }
    }
    work(0, 0, std::min(n_rows, part));
    for (std::thread& thread : threads) thread.join();
}

}  // namespace berryeval
