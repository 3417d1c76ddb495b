// A piece of a file in memory. Files are read, never mapped: one that shrinks while it is being
// read must not end the process.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace berryeval::engine {

class FileWindow {
public:
    // `file` is a descriptor; it stays open, and its own position is not used.
    explicit FileWindow(int file) : file_(file) {}

    // Empties the window and puts it at a place in the file.
    void move_to(std::size_t offset);

    // Adds up to `n_bytes` at its end; fewer only where the file ends. Throws
    // std::system_error where the file cannot be read.
    void extend(std::size_t n_bytes);

    // Drops the bytes before `at`, which is in the window.
    void drop_before(const char* at) { begin_ = static_cast<std::size_t>(at - buffer_.data()); }

    const char* begin() const { return buffer_.data() + begin_; }
    const char* end() const { return buffer_.data() + end_; }
    std::size_t size() const { return end_ - begin_; }
    // Where in the file the window begins.
    std::size_t offset() const { return offset_ + begin_; }
    bool is_at_end() const { return is_at_end_; }

private:
    int file_;
    std::vector<char> buffer_;
    std::size_t offset_ = 0;  // of buffer_[0] in the file
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    bool is_at_end_ = false;
};

}  // namespace berryeval::engine
