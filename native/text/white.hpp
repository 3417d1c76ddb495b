// White space, found in 64 bytes at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "text/number.hpp"

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define BERRYEVAL_TEXT_SSE2
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#define BERRYEVAL_TEXT_NEON
#endif

namespace berryeval::text {

// One bit per byte, the first byte lowest.
struct Masks {
    std::uint64_t white;    // space, \t, \n, \v, \f, \r: what Python's bytes.split() splits at
    std::uint64_t newline;  // \n
};

inline constexpr unsigned mask_bytes = 64;

inline bool is_white(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

#if defined(BERRYEVAL_TEXT_SSE2)

inline Masks find_white(const char* at) {
    Masks masks{0, 0};
    for (unsigned i = 0; i < mask_bytes; i += 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + i));
        const __m128i from_tab = _mm_sub_epi8(bytes, _mm_set1_epi8('\t'));
        const __m128i is_control =
            _mm_cmpeq_epi8(_mm_min_epu8(from_tab, _mm_set1_epi8('\r' - '\t')), from_tab);
        const __m128i is_space = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(' '));
        const __m128i is_newline = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n'));
        const auto bits = [](__m128i flags) {
            return std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(flags))};
        };
        masks.white |= bits(_mm_or_si128(is_control, is_space)) << i;
        masks.newline |= bits(is_newline) << i;
    }
    return masks;
}

#elif defined(BERRYEVAL_TEXT_NEON)

inline Masks find_white(const char* at) {
    // Each byte keeps the bit of its position among eight; three rounds of adding neighbours
    // combine the bits of 16 bytes in two.
    static const std::uint8_t places[16] = {1, 2, 4, 8, 16, 32, 64, 128,
                                            1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t place = vld1q_u8(places);
    const auto bits = [place](uint8x16_t flags) {
        const uint8x16_t kept = vandq_u8(flags, place);
        const std::uint64_t low = vaddv_u8(vget_low_u8(kept));
        const std::uint64_t high = vaddv_u8(vget_high_u8(kept));
        return low | (high << 8);
    };
    Masks masks{0, 0};
    for (unsigned i = 0; i < mask_bytes; i += 16) {
        const uint8x16_t bytes = vld1q_u8(reinterpret_cast<const std::uint8_t*>(at + i));
        const uint8x16_t is_control =
            vcleq_u8(vsubq_u8(bytes, vdupq_n_u8('\t')), vdupq_n_u8('\r' - '\t'));
        const uint8x16_t is_space = vceqq_u8(bytes, vdupq_n_u8(' '));
        masks.white |= bits(vorrq_u8(is_control, is_space)) << i;
        masks.newline |= bits(vceqq_u8(bytes, vdupq_n_u8('\n'))) << i;
    }
    return masks;
}

#else

inline Masks find_white(const char* at) {
    Masks masks{0, 0};
    for (unsigned i = 0; i < mask_bytes; ++i) {
        masks.white |= std::uint64_t{is_white(at[i])} << i;
        masks.newline |= std::uint64_t{at[i] == '\n'} << i;
    }
    return masks;
}

#endif

// Finds it, and reads numbers, with instructions of the platform's baseline.
struct BaselineWhite {
    static Masks find(const char* at) { return find_white(at); }
    static bool parse_short(const char* begin, std::size_t size, double& number) {
        return short_numbers::parse(begin, size, number);
    }
};

}  // namespace berryeval::text
