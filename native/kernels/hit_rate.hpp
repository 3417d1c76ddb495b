#pragma once

namespace berryeval::kernels {

// Twin of berryeval.kernels.hit_rate: whether anything was found.
inline double hit_rate(double n_found) { return n_found > 0.0 ? 1.0 : 0.0; }

}  // namespace berryeval::kernels
