#include "processor.hpp"

#if defined(_MSC_VER) && !defined(__clang__)
#include <immintrin.h>
#include <intrin.h>
#endif

namespace berryeval {

#ifdef BERRYEVAL_HAS_AVX2
bool processor_has_avx2() {
#if defined(_MSC_VER) && !defined(__clang__)
    int info[4];
    __cpuid(info, 0);
    if (info[0] < 7) return false;
    __cpuid(info, 1);
    const bool system_saves_ymm = (info[2] & (1 << 27)) && (_xgetbv(0) & 6) == 6;
    __cpuidex(info, 7, 0);
    const bool has_bmi = info[1] & (1 << 3);
    return system_saves_ymm && has_bmi && (info[1] & (1 << 5));
#else
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi");
#endif
}
#endif

}  // namespace berryeval
