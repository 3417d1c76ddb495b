// The join with AVX2. Compiled into every x86-64 build, called only if the processor supports it.
#include <immintrin.h>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "join/blocks.hpp"
#include "join/match.hpp"

// Included after the standard headers, so that none of their functions is compiled for AVX2 and
// then shared with the rest of the program.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

#include "join/match_row.hpp"

namespace berryeval::join {
namespace {

class Avx2Block {
public:
    explicit Avx2Block(const std::int32_t* cells) {
        // Packing works within halves of a register. With this order of loading, the bits of the
        // packed result are in the order of the cells.
        for (int i = 0; i < 4; ++i) {
            const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(cells + 4 * i));
            const __m128i high =
                _mm_loadu_si128(reinterpret_cast<const __m128i*>(cells + 4 * i + 16));
            ids_[i] = _mm256_set_m128i(high, low);
        }
    }

    std::uint32_t equal(std::int32_t id) const {
        const __m256i wanted = _mm256_set1_epi32(id);
        const __m256i first = _mm256_packs_epi32(_mm256_cmpeq_epi32(ids_[0], wanted),
                                                 _mm256_cmpeq_epi32(ids_[1], wanted));
        const __m256i second = _mm256_packs_epi32(_mm256_cmpeq_epi32(ids_[2], wanted),
                                                  _mm256_cmpeq_epi32(ids_[3], wanted));
        return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_packs_epi16(first, second)));
    }

private:
    __m256i ids_[4];
};

}  // namespace

const Matcher avx2_matcher{match_row<Avx2Block>, "avx2"};

}  // namespace berryeval::join

#if defined(__clang__)
#pragma clang attribute pop
#elif defined(__GNUC__)
#pragma GCC pop_options
#endif
