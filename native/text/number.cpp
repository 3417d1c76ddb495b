#include "text/number.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

// Some standard libraries lack from_chars for floating-point numbers; strtod rounds equally well.
#if __has_include(<version>)
#include <version>
#endif
#if defined(__cpp_lib_to_chars) && !defined(BERRYEVAL_WITHOUT_FROM_CHARS)
#define BERRYEVAL_HAS_FROM_CHARS
#include <charconv>
#include <system_error>
#else
#include <locale.h>
#include <stdlib.h>
#if __has_include(<xlocale.h>)
#include <xlocale.h>
#endif
#endif

namespace berryeval::text {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Powers of ten that a double represents exactly.
constexpr double exact_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr std::ptrdiff_t most_exact_power = 22;
constexpr std::uint64_t most_exact_integer = std::uint64_t{1} << 53;
constexpr std::ptrdiff_t most_digits = 19;  // that always fit into 64 bits
constexpr std::ptrdiff_t huge_exponent = 100'000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_infinity(std::string_view text) {
    for (const std::string_view word : {std::string_view("inf"), std::string_view("infinity")}) {
        bool same = text.size() == word.size();
        for (std::size_t i = 0; same && i < word.size(); ++i) same = lower(text[i]) == word[i];
        if (same) return true;
    }
    return false;
}

#if defined(BERRYEVAL_HAS_FROM_CHARS)
// Numbers that are too large, or too small, for a double.
double out_of_range(std::string_view digits, std::ptrdiff_t power) {
    // The position of the first digit that is not 0, counted from the last digit.
    std::ptrdiff_t n_digits = 0;
    for (const char c : digits) {
        if (lower(c) == 'e') break;
        if (is_digit(c) && (n_digits > 0 || c != '0')) ++n_digits;
    }
    return n_digits > 0 && n_digits + power > 0 ? infinity : 0.0;
}
#endif

// Numbers without a fast path: all digits matter for the rounding. `power` is that of the last
// digit.
double round_correctly(std::string_view digits, std::ptrdiff_t power) {
#if defined(BERRYEVAL_HAS_FROM_CHARS)
    double value = 0.0;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (result.ec == std::errc::result_out_of_range) return out_of_range(digits, power);
    return value;
#else
    (void)power;
    static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
    return strtod_l(std::string(digits).c_str(), nullptr, plain);
#endif
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
    const char* at = text.data();
    const char* const end = at + text.size();
    const bool negative = at != end && *at == '-';
    if (at != end && (*at == '-' || *at == '+')) ++at;
    const char* const unsigned_part = at;

    // Surplus digits wrap around; the digits are counted below, before they are used.
    std::uint64_t digits = 0;
    const auto read_digits = [&] {
        const char* const begin = at;
        for (; at != end && is_digit(*at); ++at)
            digits = digits * 10 + static_cast<unsigned>(*at - '0');
        return at - begin;
    };
    std::ptrdiff_t n_digits = read_digits();
    std::ptrdiff_t n_fraction = 0;
    if (at != end && *at == '.') {
        ++at;
        n_fraction = read_digits();
        n_digits += n_fraction;
    }
    if (n_digits == 0) {
        const std::string_view word(unsigned_part, static_cast<std::size_t>(end - unsigned_part));
        if (!is_infinity(word)) return std::nullopt;
        return negative ? -infinity : infinity;
    }
    std::ptrdiff_t exponent = 0;
    if (at != end && lower(*at) == 'e') {
        ++at;
        const bool down = at != end && *at == '-';
        if (at != end && (*at == '-' || *at == '+')) ++at;
        if (at == end || !is_digit(*at)) return std::nullopt;
        for (; at != end && is_digit(*at); ++at) {
            if (exponent < huge_exponent) exponent = exponent * 10 + (*at - '0');
        }
        if (down) exponent = -exponent;
    }
    if (at != end) return std::nullopt;

    double value = 0.0;
    const std::ptrdiff_t power = exponent - n_fraction;
    if (n_digits <= most_digits && digits <= most_exact_integer && power >= -most_exact_power &&
        power <= most_exact_power) {
        // Both operands are exact, so the one operation rounds correctly.
        value = static_cast<double>(digits);
        value = power < 0 ? value / exact_powers[-power] : value * exact_powers[power];
    } else {
        const std::string_view all(unsigned_part, static_cast<std::size_t>(end - unsigned_part));
        value = round_correctly(all, power);
    }
    return negative ? -value : value;
}

}  // namespace berryeval::text
