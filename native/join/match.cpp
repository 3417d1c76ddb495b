#include "join/match.hpp"

#include "join/blocks.hpp"
#include "join/match_row.hpp"

#if defined(_MSC_VER) && !defined(__clang__)
#include <immintrin.h>
#include <intrin.h>
#endif

namespace berryeval::join {

const Matcher baseline_matcher{match_row<BaselineBlock>, BaselineBlock::name};

#ifdef BERRYEVAL_HAS_AVX2
namespace {

bool processor_has_avx2() {
#if defined(_MSC_VER) && !defined(__clang__)
    int info[4];
    __cpuid(info, 0);
    if (info[0] < 7) return false;
    __cpuid(info, 1);
    const bool system_saves_ymm = (info[2] & (1 << 27)) && (_xgetbv(0) & 6) == 6;
    __cpuidex(info, 7, 0);
    return system_saves_ymm && (info[1] & (1 << 5));
#else
    return __builtin_cpu_supports("avx2");
#endif
}

}  // namespace
#endif

Matcher choose_matcher([[maybe_unused]] bool portable) {
#ifdef BERRYEVAL_HAS_AVX2
    if (!portable && processor_has_avx2()) return avx2_matcher;
#endif
    return baseline_matcher;
}

}  // namespace berryeval::join
