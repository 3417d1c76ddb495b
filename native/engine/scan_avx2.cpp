// The loop over lines with AVX2. Compiled into every x86-64 build, called only if the processor
// supports it.
#include <immintrin.h>
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "columns/hash.hpp"
#include "engine/text_pass.hpp"
#include "text/line.hpp"
#include "text/number.hpp"
#include "text/white.hpp"

// Included after everything that is not named after its `White`, so that none of that is compiled
// for AVX2 and then shared with the rest of the program.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi"))), apply_to = function)
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC target("avx2,bmi")
#endif

#include "engine/scan_lines.hpp"

namespace berryeval::engine {
namespace {

constexpr std::size_t register_bytes = sizeof(__m128i);

// By the position of the dot and the size of a number: the shuffle of its bytes that moves the
// digits to the end of a register, without the dot. -1 gives zero.
using Shuffle = std::array<std::int8_t, register_bytes>;
using Shuffles = std::array<std::array<Shuffle, register_bytes + 1>, register_bytes + 1>;

constexpr Shuffles make_shuffles() {
    Shuffles shuffles{};
    for (int dot = 0; dot <= int{register_bytes}; ++dot) {
        for (int size = 0; size <= int{register_bytes}; ++size) {
            Shuffle& shuffle = shuffles[dot][size];
            int from = size;
            for (int to = int{register_bytes} - 1; to >= 0; --to) {
                from -= from - 1 == dot ? 2 : 1;
                shuffle[to] = static_cast<std::int8_t>(std::max(from, -1));
            }
        }
    }
    return shuffles;
}

alignas(register_bytes) constexpr Shuffles shuffles = make_shuffles();

struct Avx2White {
    // Up to fifteen digits: a double represents all such whole numbers exactly.
    static bool parse_short(const char* begin, std::size_t size, double& number) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(begin));
        const auto dots = static_cast<std::uint32_t>(
            _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('.'))));
        const auto dot = static_cast<std::size_t>(std::countr_zero(dots | 1u << register_bytes));
        const std::size_t n_digits = size - (dot < size);
        if (n_digits - 1 >= 15) return false;
        const __m128i shuffle =
            _mm_load_si128(reinterpret_cast<const __m128i*>(shuffles[dot][size].data()));
        const __m128i digits = _mm_shuffle_epi8(_mm_sub_epi8(bytes, _mm_set1_epi8('0')), shuffle);
        const __m128i beyond_9 = _mm_subs_epu8(digits, _mm_set1_epi8(9));
        if (!_mm_testz_si128(beyond_9, beyond_9)) return false;
        // Neighbours are combined, until there are two numbers of eight digits.
        const __m128i twos = _mm_maddubs_epi16(digits, _mm_set1_epi16(10 | 1 << 8));
        const __m128i fours = _mm_madd_epi16(twos, _mm_set1_epi32(100 | 1 << 16));
        const __m128i eights =
            _mm_madd_epi16(_mm_packus_epi32(fours, fours), _mm_set1_epi32(10'000 | 1 << 16));
        const auto both = static_cast<std::uint64_t>(_mm_cvtsi128_si64(eights));
        const std::uint64_t whole = (both & 0xFFFFFFFFu) * 100'000'000u + (both >> 32);
        // Both are exact as doubles, so the division rounds once.
        number = static_cast<double>(static_cast<std::int64_t>(whole)) /
                 text::short_numbers::exact_powers[n_digits - std::min(dot, n_digits)];
        return true;
    }

    static text::Masks find(const char* at) {
        const Half low(at), high(at + sizeof(__m256i));
        return {low.white() | high.white() << 32, low.newline() | high.newline() << 32};
    }

    class Half {
    public:
        explicit Half(const char* at)
            : bytes_(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at))) {}

        // Each white byte is looked up by its lower half, which differs between them; bytes from
        // 128 on find 0.
        std::uint64_t white() const {
            const __m256i whites = _mm256_broadcastsi128_si256(
                _mm_setr_epi8(' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', '\v', '\f', '\r', 0, 0));
            return equal(_mm256_shuffle_epi8(whites, bytes_));
        }
        std::uint64_t newline() const { return equal(_mm256_set1_epi8('\n')); }

    private:
        std::uint64_t equal(__m256i others) const {
            return static_cast<std::uint32_t>(
                _mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes_, others)));
        }

        __m256i bytes_;
    };
};

}  // namespace

const TextPass::Scan TextPass::avx2_scan = &TextPass::scan_lines<Avx2White>;

}  // namespace berryeval::engine

#if defined(__clang__)
#pragma clang attribute pop
#elif defined(__GNUC__)
#pragma GCC pop_options
#endif
