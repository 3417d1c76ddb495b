#include "engine/file_window.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <system_error>

#include "text/line.hpp"

#ifdef _WIN32
#define NOMINMAX
#include <io.h>
#include <windows.h>
#else
#include <unistd.h>
#endif

namespace berryeval::engine {
namespace {

// Reads up to `n_bytes` at `offset`; 0 at the end of the file.
std::size_t read_at(int file, char* to, std::size_t n_bytes, std::size_t offset) {
    constexpr std::size_t most = std::size_t{1} << 30;  // accepted by every system
    n_bytes = std::min(n_bytes, most);
#ifdef _WIN32
    OVERLAPPED place{};
    place.Offset = static_cast<DWORD>(offset);
    place.OffsetHigh = static_cast<DWORD>(std::uint64_t{offset} >> 32);
    DWORD n_read = 0;
    const auto handle = reinterpret_cast<HANDLE>(_get_osfhandle(file));
    if (!ReadFile(handle, to, static_cast<DWORD>(n_bytes), &n_read, &place)) {
        const DWORD error = GetLastError();
        if (error == ERROR_HANDLE_EOF) return 0;
        throw std::system_error(static_cast<int>(error), std::system_category());
    }
    return n_read;
#else
    for (;;) {
        const ssize_t n_read = ::pread(file, to, n_bytes, static_cast<off_t>(offset));
        if (n_read >= 0) return static_cast<std::size_t>(n_read);
        if (errno != EINTR) throw std::system_error(errno, std::generic_category());
    }
#endif
}

}  // namespace

void FileWindow::move_to(std::size_t offset) {
    offset_ = offset;
    begin_ = end_ = 0;
    is_at_end_ = false;
}

void FileWindow::extend(std::size_t n_bytes) {
    if (begin_ > 0) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, size());
        offset_ += begin_;
        end_ -= begin_;
        begin_ = 0;
    }
    const std::size_t wanted = end_ + n_bytes;
    if (buffer_.size() < wanted + text::padding) buffer_.resize(wanted + text::padding);
    while (end_ < wanted) {
        const std::size_t n_read =
            read_at(file_, buffer_.data() + end_, wanted - end_, offset_ + end_);
        if (n_read == 0) {
            is_at_end_ = true;
            return;
        }
        end_ += n_read;
    }
}

}  // namespace berryeval::engine
