// Numbers in text, as Python's float() reads them: correctly rounded, to the same bits.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace berryeval::text {

// The number in `text`; nothing if the whole text is not a number. Infinities are numbers, NaN is
// not. Twin of berryeval.formats.rows.parse_number.
std::optional<double> parse_number(std::string_view text);

namespace short_numbers {

inline constexpr std::size_t word = 8;
inline constexpr std::int64_t powers[] = {1,       10,        100,        1'000,      10'000,
                                          100'000, 1'000'000, 10'000'000, 100'000'000};
inline constexpr double exact_powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                          1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

inline std::uint64_t load_word(const char* at) {
    std::uint64_t loaded;
    std::memcpy(&loaded, at, word);
    return loaded;
}

// The number in the first `size` bytes, one to eight digits, all at once; false if any of them is
// not a digit.
inline bool read_digits(std::uint64_t digits, std::size_t size, std::int64_t& number) {
    digits <<= 8 * (word - size);  // shifts later bytes out, and zeros in
    const std::uint64_t there = ~std::uint64_t{0} << 8 * (word - size);
    const std::uint64_t highs = digits & 0xF0F0F0F0F0F0F0F0u;
    const std::uint64_t carried = (digits + (0x0606060606060606u & there)) & 0xF0F0F0F0F0F0F0F0u;
    // A digit's upper half is 3, and stays 3 when 6 is added.
    if ((highs | carried >> 4) != (0x3333333333333333u & there)) return false;
    digits &= 0x0F0F0F0F0F0F0F0Fu;
    digits = digits * 10 + (digits >> 8);  // pairs, in every second byte
    digits = (((digits & 0x000000FF000000FFu) * (100 + (std::uint64_t{1'000'000} << 32))) +
              (((digits >> 16) & 0x000000FF000000FFu) * (1 + (std::uint64_t{10'000} << 32)))) >>
             32;
    number = static_cast<std::int64_t>(digits);
    return true;
}

// A number of up to eight digits, with or without a dot.
inline bool parse_in_one_word(const char* begin, std::size_t size, double& number) {
    const std::uint64_t bytes = load_word(begin);
    const std::uint64_t others = bytes ^ 0x2E2E2E2E2E2E2E2Eu;  // 0 where there is a dot
    const std::uint64_t dots = (others - 0x0101010101010101u) & ~others & 0x8080808080808080u;
    if (size - 1 >= word + (dots != 0)) return false;
    // Bytes after the first dot move by one; without a dot, nothing changes.
    const std::uint64_t whole = ((dots & -dots) >> 7) - 1;
    const std::uint64_t digits = (bytes & whole) | (load_word(begin + 1) & ~whole);
    const auto dot = static_cast<std::size_t>(std::countr_zero(dots)) / 8;  // may be further right
    const std::size_t n_digits = size - (dot < size);
    std::int64_t found = 0;
    if (n_digits == 0 || !read_digits(digits, n_digits, found)) return false;
    // Both are exact as doubles, so the division rounds once.
    number = static_cast<double>(found) / exact_powers[n_digits - std::min(dot, n_digits)];
    return true;
}

// A number of up to fifteen digits, at most eight of them on either side of a dot.
inline bool parse_in_two_words(const char* begin, std::size_t size, double& number) {
    const char* const end = begin + size;
    const char* dot = begin;
    while (dot != end && *dot != '.') ++dot;
    const auto n_whole = static_cast<std::size_t>(dot - begin);
    const auto n_fraction = dot == end ? 0 : static_cast<std::size_t>(end - dot - 1);
    std::int64_t whole = 0, fraction = 0;
    if (n_whole + n_fraction - 1 >= 15 || n_whole > word || n_fraction > word) return false;
    if (n_whole > 0 && !read_digits(load_word(begin), n_whole, whole)) return false;
    if (n_fraction > 0 && !read_digits(load_word(dot + 1), n_fraction, fraction)) return false;
    const auto digits = static_cast<double>(whole * powers[n_fraction] + fraction);
    number = digits / exact_powers[n_fraction];
    return true;
}

// Digits with or without a dot: most scores, which are read without a loop over digits. False if
// the text may be another kind of number.
inline bool parse(const char* begin, std::size_t size, double& number) {
    if constexpr (std::endian::native == std::endian::little) {
        return parse_in_one_word(begin, size, number) || parse_in_two_words(begin, size, number);
    }
    return false;
}

}  // namespace short_numbers

}  // namespace berryeval::text
