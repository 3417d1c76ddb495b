// Contiguous plain values, in memory that is cheap to fill for the first time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace berryeval::columns {

// Like std::vector, with two differences: new elements are not initialised, and for many elements
// the system is asked for large pages. Without the latter, page faults take longer than filling a
// column.
template <class T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    Buffer() = default;
    Buffer(Buffer&& other) noexcept { *this = std::move(other); }
    Buffer& operator=(Buffer&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
        return *this;
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { release(data_, capacity_); }

    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t index) { return data_[index]; }
    const T& operator[](std::size_t index) const { return data_[index]; }

    void push_back(T value) { *extend(1) = value; }

    void reserve(std::size_t capacity) {
        if (capacity > capacity_) move_to(capacity);
    }

    // New elements are not initialised.
    T* extend(std::size_t n_more) {
        if (n_more > capacity_ - size_) [[unlikely]]
            grow(n_more);
        T* const begin = data_ + size_;
        size_ += n_more;
        return begin;
    }

private:
    static constexpr std::size_t large_page = std::size_t{1} << 21;

    static std::align_val_t alignment(std::size_t capacity) {
        const bool is_large = capacity * sizeof(T) >= 2 * large_page;
        return std::align_val_t{is_large ? large_page : alignof(std::max_align_t)};
    }

    static T* allocate(std::size_t capacity) {
        void* const memory = ::operator new(capacity * sizeof(T), alignment(capacity));
#if defined(__linux__) && defined(MADV_HUGEPAGE)
        if (capacity * sizeof(T) >= 2 * large_page) {
            madvise(memory, capacity * sizeof(T), MADV_HUGEPAGE);  // advice that may be ignored
        }
#endif
        return static_cast<T*>(memory);
    }

    static void release(T* data, std::size_t capacity) {
        if (data != nullptr) ::operator delete(data, alignment(capacity));
    }

    void grow(std::size_t n_more) {
        constexpr std::size_t most = static_cast<std::size_t>(-1) / sizeof(T) / 4;
        if (n_more > most - size_) throw std::bad_alloc();
        std::size_t wanted = capacity_ < 32 ? 64 : 2 * capacity_;
        if (wanted < size_ + n_more) wanted = size_ + n_more;
        move_to(wanted);
    }

    void move_to(std::size_t wanted) {
        T* const larger = allocate(wanted);
        if (size_ > 0) std::memcpy(larger, data_, size_ * sizeof(T));
        release(data_, capacity_);
        data_ = larger;
        capacity_ = wanted;
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace berryeval::columns
