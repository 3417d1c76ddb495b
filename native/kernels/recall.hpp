#pragma once

namespace berryeval::kernels {

// Twin of berryeval.kernels.recall: found among the first k, of all that are relevant.
inline double recall(double n_found, double n_relevant) {
    return n_relevant > 0.0 ? n_found / n_relevant : 0.0;
}

}  // namespace berryeval::kernels
