// Several 32-bit ids side by side: what the platform has without asking.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace berryeval::join {

// Each kind of lanes has these. A lane that compares equal is -1, all bits set, else 0.
#if defined(__SSE2__) || defined(_M_X64)

struct BaselineLanes {
    using Vector = __m128i;
    static constexpr std::size_t width = 4;
    static constexpr const char* name = "sse2";

    static Vector zero() { return _mm_setzero_si128(); }
    static Vector broadcast(std::int32_t id) { return _mm_set1_epi32(id); }
    static Vector load(const std::int32_t* cells) {
        return _mm_loadu_si128(reinterpret_cast<const __m128i*>(cells));
    }
    static Vector equal(Vector a, Vector b) { return _mm_cmpeq_epi32(a, b); }
    static Vector either(Vector a, Vector b) { return _mm_or_si128(a, b); }
    static Vector subtract(Vector a, Vector b) { return _mm_sub_epi32(a, b); }
    static std::uint64_t sign_bits(Vector a) {
        return static_cast<std::uint64_t>(_mm_movemask_ps(_mm_castsi128_ps(a)));
    }
};

#elif defined(__ARM_NEON) && defined(__aarch64__)

struct BaselineLanes {
    using Vector = int32x4_t;
    static constexpr std::size_t width = 4;
    static constexpr const char* name = "neon";

    static Vector zero() { return vdupq_n_s32(0); }
    static Vector broadcast(std::int32_t id) { return vdupq_n_s32(id); }
    static Vector load(const std::int32_t* cells) { return vld1q_s32(cells); }
    static Vector equal(Vector a, Vector b) { return vreinterpretq_s32_u32(vceqq_s32(a, b)); }
    static Vector either(Vector a, Vector b) { return vorrq_s32(a, b); }
    static Vector subtract(Vector a, Vector b) { return vsubq_s32(a, b); }
    static std::uint64_t sign_bits(Vector a) {
        static constexpr std::int32_t places[4] = {0, 1, 2, 3};
        const uint32x4_t signs = vshrq_n_u32(vreinterpretq_u32_s32(a), 31);
        return vaddvq_u32(vshlq_u32(signs, vld1q_s32(places)));
    }
};

#else

struct BaselineLanes {
    using Vector = std::int32_t;
    static constexpr std::size_t width = 1;
    static constexpr const char* name = "scalar";

    static Vector zero() { return 0; }
    static Vector broadcast(std::int32_t id) { return id; }
    static Vector load(const std::int32_t* cells) { return *cells; }
    static Vector equal(Vector a, Vector b) { return a == b ? -1 : 0; }
    static Vector either(Vector a, Vector b) { return a | b; }
    static Vector subtract(Vector a, Vector b) { return a - b; }
    static std::uint64_t sign_bits(Vector a) { return a < 0 ? 1 : 0; }
};

#endif

}  // namespace berryeval::join
