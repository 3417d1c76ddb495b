#pragma once

namespace berryeval::kernels {

// Twin of berryeval.kernels.reciprocal_rank. `first` is the rank of the first relevant
// document, from 1; infinity where the first k hold none.
inline double reciprocal_rank(double first) { return 1.0 / first; }

}  // namespace berryeval::kernels
