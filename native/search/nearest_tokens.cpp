#include "search/nearest_tokens.hpp"

#include <algorithm>
#include <array>

namespace berryeval::search {
namespace {

// `width` columns at a time stay in registers during the loop over a document's tokens.
template <std::size_t width>
void fill_columns(const TokenRequest& request, std::size_t first, float* out) {
    std::size_t start = 0;
    for (std::size_t document = 0; document < request.ends.size(); ++document) {
        const auto end = static_cast<std::size_t>(request.ends[document]);
        std::array<float, width> highest;
        const auto row_of = [&](std::size_t place) {
            const std::size_t token = request.tokens[place];
            return request.similar.data() + token * request.n_columns + first;
        };
        std::copy_n(row_of(start), width, highest.begin());
        for (std::size_t place = start + 1; place < end; ++place) {
            const float* similar = row_of(place);
            for (std::size_t i = 0; i < width; ++i) highest[i] = std::max(highest[i], similar[i]);
        }
        std::copy_n(highest.begin(), width, out + document * request.n_columns + first);
        start = end;
    }
}

// The last columns may be computed twice, which is faster than one by one, and changes nothing.
template <std::size_t width>
void fill_all(const TokenRequest& request, float* out) {
    for (std::size_t first = 0; first + width < request.n_columns; first += width) {
        fill_columns<width>(request, first, out);
    }
    fill_columns<width>(request, request.n_columns - width, out);
}

}  // namespace

void nearest_tokens(const TokenRequest& request, float* out) {
    if (request.n_columns >= 8) return fill_all<8>(request, out);
    if (request.n_columns >= 4) return fill_all<4>(request, out);
    fill_all<1>(request, out);
}

}  // namespace berryeval::search
