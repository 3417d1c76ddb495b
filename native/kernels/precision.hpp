#pragma once

namespace berryeval::kernels {

// Twin of berryeval.kernels.precision: found among the first k, of k or of what was returned.
inline double precision(double n_found, double denominator) {
    return denominator > 0.0 ? n_found / denominator : 0.0;
}

}  // namespace berryeval::kernels
