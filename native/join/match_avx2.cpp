// The join with AVX2. Compiled into every x86-64 build, called only where the processor has it.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#include "join/match.hpp"

// After the standard headers, so that none of their functions is compiled for AVX2 and then
// shared with the rest of the program.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

#include "join/match_row.hpp"

namespace berryeval::join {
namespace {

struct Avx2Lanes {
    using Vector = __m256i;
    static constexpr std::size_t width = 8;

    static Vector zero() { return _mm256_setzero_si256(); }
    static Vector broadcast(std::int32_t id) { return _mm256_set1_epi32(id); }
    static Vector load(const std::int32_t* cells) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(cells));
    }
    static Vector equal(Vector a, Vector b) { return _mm256_cmpeq_epi32(a, b); }
    static Vector either(Vector a, Vector b) { return _mm256_or_si256(a, b); }
    static Vector subtract(Vector a, Vector b) { return _mm256_sub_epi32(a, b); }
    static std::uint64_t sign_bits(Vector a) {
        return static_cast<std::uint64_t>(_mm256_movemask_ps(_mm256_castsi256_ps(a)));
    }
};

}  // namespace

const Matcher avx2_matcher{match_row<Avx2Lanes>, "avx2"};

}  // namespace berryeval::join

#if defined(__clang__)
#pragma clang attribute pop
#elif defined(__GNUC__)
#pragma GCC pop_options
#endif
