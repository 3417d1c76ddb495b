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

    // Empties the window and moves it to a position in the file.
    void move_to(std::size_t offset);

    // Appends up to `n_bytes`; fewer only at the end of the file. Throws std::system_error if the
    // file cannot be read.
    void extend(std::size_t n_bytes);

    // Drops the bytes before `at`, which is in the window.
    void drop_before(const char* at) { begin_ = static_cast<std::size_t>(at - buffer_.data()); }

    const char* begin() const { return buffer_.data() + begin_; }
    const char* end() const { return buffer_.data() + end_; }
    std::size_t size() const { return end_ - begin_; }
    // The position of the window's beginning in the file.
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
