// Plain values end to end, in memory that grows without being copied where the system can.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace berryeval::columns {

// std::vector copies all it has whenever it grows; realloc moves pages instead.
template <class T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    Buffer() = default;
    explicit Buffer(std::size_t size) { resize(size); }
    Buffer(Buffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)),
          size_(std::exchange(other.size_, 0)),
          capacity_(std::exchange(other.capacity_, 0)) {}
    Buffer& operator=(Buffer&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
        return *this;
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { std::free(data_); }

    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t index) { return data_[index]; }
    const T& operator[](std::size_t index) const { return data_[index]; }
    const T& back() const { return data_[size_ - 1]; }

    void push_back(T value) {
        make_room(1);
        data_[size_++] = value;
    }

    // New elements hold anything.
    T* extend(std::size_t n_more) {
        make_room(n_more);
        T* const begin = data_ + size_;
        size_ += n_more;
        return begin;
    }

    void resize(std::size_t size) {
        if (size > size_) make_room(size - size_);
        size_ = size;
    }

private:
    void make_room(std::size_t n_more) {
        if (n_more <= capacity_ - size_) [[likely]] return;
        grow(n_more);
    }

    void grow(std::size_t n_more) {
        constexpr std::size_t most = static_cast<std::size_t>(-1) / sizeof(T) / 2;
        if (n_more > most - size_) throw std::bad_alloc();
        std::size_t wanted = capacity_ < 64 ? 64 : capacity_ + capacity_ / 2;
        if (wanted < size_ + n_more) wanted = size_ + n_more;
        void* const moved = std::realloc(data_, wanted * sizeof(T));
        if (moved == nullptr) throw std::bad_alloc();
        data_ = static_cast<T*>(moved);
        capacity_ = wanted;
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace berryeval::columns
