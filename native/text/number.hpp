// Numbers in text, as Python's float() reads them: correctly rounded, to the same bits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace berryeval::text {

// The number that the whole of `text` is; nothing if it is none. NaN is none.
// Infinities are numbers. Twin of berryeval.formats._rows.parse_number.
std::optional<double> parse_number(std::string_view text);

namespace short_numbers {

inline constexpr std::size_t word = 8;
inline constexpr std::uint64_t powers[] = {1, 10, 100, 1'000, 10'000, 100'000, 1'000'000,
                                           10'000'000, 100'000'000};

// The number that `size` digits at `at` are, at most eight, all at once; false if any is none.
inline bool read_digits(const char* at, std::size_t size, std::uint64_t& number) {
    if (size == 0) {
        number = 0;
        return true;
    }
    std::uint64_t digits;
    std::memcpy(&digits, at, word);
    digits <<= 8 * (word - size);  // what is behind them falls out, and noughts come in front
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
    number = digits;
    return true;
}

}  // namespace short_numbers

// The same for text of a file: a word more than the text may be read. False if it is no number.
// Most scores have few digits, and are read without looking at each.
inline bool parse_number_in_line(std::string_view text, double& number) {
    using namespace short_numbers;
    constexpr bool is_little_endian = std::endian::native == std::endian::little;
    const char* const end = text.data() + text.size();
    const char* const begin = text.data() + text.starts_with('-');
    const char* dot = begin;
    while (dot != end && *dot != '.') ++dot;
    const auto n_whole = static_cast<std::size_t>(dot - begin);
    const auto n_fraction = dot == end ? 0 : static_cast<std::size_t>(end - dot - 1);
    std::uint64_t whole = 0, fraction = 0;
    // Fifteen digits and their power of ten are exact as doubles, so the division rounds once.
    if (is_little_endian && n_whole + n_fraction - 1 < 15 && n_whole <= word &&
        n_fraction <= word && read_digits(begin, n_whole, whole) &&
        read_digits(dot + 1, n_fraction, fraction)) [[likely]] {
        const auto digits = static_cast<double>(whole * powers[n_fraction] + fraction);
        const double value = digits / static_cast<double>(powers[n_fraction]);
        number = begin != text.data() ? -value : value;
        return true;
    }
    const std::optional<double> found = parse_number(text);
    if (found) number = *found;
    return found.has_value();
}

}  // namespace berryeval::text
