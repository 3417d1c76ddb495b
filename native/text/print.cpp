#include "text/print.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <optional>

#if __has_include(<version>)
#include <version>
#endif
#if defined(__cpp_lib_to_chars)
#include <charconv>
#endif

#include "kernels/ranking.hpp"

namespace berryeval::text {
namespace {

constexpr std::size_t width = 6;
constexpr int decimals = 4;
constexpr std::size_t most_characters = 400;  // of the largest double, with its decimals

// Writes the number without a width; both methods round exactly, to nearest.
std::size_t write(char* to, double number, int n_decimals) {
#if defined(__cpp_lib_to_chars)
    const auto end =
        std::to_chars(to, to + most_characters, number, std::chars_format::fixed, n_decimals);
    return static_cast<std::size_t>(end.ptr - to);
#else
    return static_cast<std::size_t>(std::snprintf(to, most_characters, "%.*f", n_decimals, number));
#endif
}

// The number in units of the last decimal, if that is certain without all of its digits: it is
// neither large nor close to the middle between two units.
std::optional<std::uint64_t> round_quickly(double number) {
    constexpr double units = 1e4, most = 1e5, margin = 1e-5;
    if (std::signbit(number) || !(number < most)) return std::nullopt;
    const double scaled = number * units;  // wrong by less than 1e-7
    const auto below = static_cast<std::uint64_t>(scaled);
    const double rest = scaled - static_cast<double>(below);
    if (std::abs(rest - 0.5) < margin) return std::nullopt;
    return below + (rest > 0.5);
}

}  // namespace

void append_fixed(std::string& text, double number) {
    if (const auto rounded = round_quickly(number)) {
        char digits[16];
        char* at = std::end(digits);
        std::uint64_t left = *rounded;
        for (int i = 0; i < decimals; ++i, left /= 10) *--at = static_cast<char>('0' + left % 10);
        *--at = '.';
        do *--at = static_cast<char>('0' + left % 10);
        while ((left /= 10) > 0);
        text.append(at, std::end(digits));
        return;
    }
    char characters[most_characters];
    const std::size_t size = write(characters, number, decimals);
    if (size < width) text.append(width - size, ' ');
    text.append(characters, size);
}

void append_whole(std::string& text, double number) {
    constexpr double most = 1e15;
    if (number >= 0.0 && number < most && !std::signbit(number)) {
        text += std::to_string(static_cast<std::uint64_t>(number));
        return;
    }
    char characters[most_characters];
    text.append(characters, write(characters, number, 0));
}

void append_letter(std::string& text, double grade) {
    if (grade > 9.0) {
        text += '>';
    } else if (grade >= 0.0) {
        text += static_cast<char>('0' + static_cast<int>(grade));
    } else {
        text += grade == kernels::not_in_pool ? '-' : '.';
    }
}

}  // namespace berryeval::text
