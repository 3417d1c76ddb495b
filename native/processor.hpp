// What the processor can do beyond the baseline of its platform.
#pragma once

namespace berryeval {

#ifdef BERRYEVAL_HAS_AVX2
// AVX2, and the instructions on bits that came with it.
bool processor_has_avx2();
#endif

}  // namespace berryeval
