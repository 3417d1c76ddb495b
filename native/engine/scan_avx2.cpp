// The loop over lines with AVX2. Compiled into every x86-64 build, called only where the
// processor has it.
#include <immintrin.h>
#include <cstdint>

#include "columns/hash.hpp"
#include "engine/text_pass.hpp"
#include "text/line.hpp"
#include "text/number.hpp"
#include "text/white.hpp"

// After all that is not named after its `White`, so that none of it is compiled for AVX2 and then
// shared with the rest of the program.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi"))), apply_to = function)
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC target("avx2,bmi")
#endif

#include "engine/scan_lines.hpp"

namespace berryeval::engine {
namespace {

struct Avx2White {
    static text::Masks find(const char* at) {
        const Half low(at), high(at + sizeof(__m256i));
        return {low.white() | high.white() << 32, low.newline() | high.newline() << 32};
    }

    class Half {
    public:
        explicit Half(const char* at)
            : bytes_(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at))) {}

        // Each white byte is looked up by its lower half, which none has in common with another;
        // bytes from 128 on find 0.
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
