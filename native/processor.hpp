// Instructions of the processor beyond the baseline of its platform.
#pragma once

namespace berryeval {

#ifdef BERRYEVAL_HAS_AVX2
// AVX2, and the bit instructions that were introduced with it.
bool processor_has_avx2();
#endif

}  // namespace berryeval
