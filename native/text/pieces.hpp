// Text that arrives in pieces: the unused rest, joined together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "text/line.hpp"

namespace berryeval::text {

class Pieces {
public:
    // Whether there is enough text to examine. The rest of a long line, or a long query, is not
    // examined again for every piece.
    bool add(std::string_view piece) {
        buffer_.resize(size_ + piece.size() + padding);
        std::copy(piece.begin(), piece.end(), buffer_.data() + size_);
        size_ += piece.size();
        if (size_ < wanted_) return false;
        if (std::exchange(is_first_, false) && text().starts_with(byte_order_mark)) {
            drop_before(begin() + byte_order_mark.size());
        }
        return true;
    }

    const char* begin() const { return buffer_.data(); }
    const char* end() const { return buffer_.data() + size_; }

    void drop_before(const char* at) {
        size_ = static_cast<std::size_t>(end() - at);
        std::memmove(buffer_.data(), at, size_);
        wanted_ = 2 * size_;
    }

private:
    std::string_view text() const { return {begin(), size_}; }

    std::vector<char> buffer_ = std::vector<char>(padding);
    std::size_t size_ = 0;
    std::size_t wanted_ = byte_order_mark.size();
    bool is_first_ = true;
};

}  // namespace berryeval::text
