#include "text/print.hpp"

#include <algorithm>
#include <cstdio>

#if __has_include(<version>)
#include <version>
#endif
#if defined(__cpp_lib_to_chars)
#include <charconv>
#endif

namespace berryeval::text {
namespace {

constexpr std::size_t width = 6;
constexpr int decimals = 4;
constexpr std::size_t most_characters = 400;  // of the largest double, with its decimals

// Writes the number without a width; both ways round to nearest, and exactly.
std::size_t write(char* to, double number, int n_decimals) {
#if defined(__cpp_lib_to_chars)
    const auto end = std::to_chars(to, to + most_characters, number, std::chars_format::fixed,
                                   n_decimals);
    return static_cast<std::size_t>(end.ptr - to);
#else
    return static_cast<std::size_t>(
        std::snprintf(to, most_characters, "%.*f", n_decimals, number));
#endif
}

}  // namespace

void append_fixed(std::string& text, double number) {
    char characters[most_characters];
    const std::size_t size = write(characters, number, decimals);
    if (size < width) text.append(width - size, ' ');
    text.append(characters, size);
}

void append_whole(std::string& text, double number) {
    char characters[most_characters];
    text.append(characters, write(characters, number, 0));
}

}  // namespace berryeval::text
