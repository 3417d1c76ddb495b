// The Arrow C data and stream interfaces: structures that any library may define for itself.
// https://arrow.apache.org/docs/format/CDataInterface.html
#pragma once

#include <cstdint>

extern "C" {

struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    std::int64_t flags;
    std::int64_t n_children;
    ArrowSchema** children;
    ArrowSchema* dictionary;
    void (*release)(ArrowSchema*);
    void* private_data;
};

struct ArrowArray {
    std::int64_t length;
    std::int64_t null_count;
    std::int64_t offset;
    std::int64_t n_buffers;
    std::int64_t n_children;
    const void** buffers;
    ArrowArray** children;
    ArrowArray* dictionary;
    void (*release)(ArrowArray*);
    void* private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
    int (*get_next)(ArrowArrayStream*, ArrowArray* out);
    const char* (*get_last_error)(ArrowArrayStream*);
    void (*release)(ArrowArrayStream*);
    void* private_data;
};

}  // extern "C"

namespace berryeval::arrow {

// Releases memory that a producer lent.
template <class T>
class Lent {
public:
    Lent() = default;
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;
    ~Lent() { reset(); }

    T* operator->() { return &value_; }
    T& operator*() { return value_; }
    const T* operator->() const { return &value_; }
    const T& operator*() const { return value_; }
    T* get() { return &value_; }
    bool is_released() const { return value_.release == nullptr; }
    void reset() {
        if (value_.release != nullptr) value_.release(&value_);
        value_ = T{};
    }

private:
    T value_{};
};

}  // namespace berryeval::arrow
