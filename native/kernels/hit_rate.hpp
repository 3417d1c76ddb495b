#pragma once

#include "kernels/relevance.hpp"

namespace berryeval::kernels {

// Whether anything was found.
inline double hit_rate(double n_found) { return n_found > 0.0 ? 1.0 : 0.0; }

// Twin of berryeval.kernels.hit_rate.
inline double hit_rate(const Relevant& relevant, Cutoff k) { return hit_rate(relevant.n_found(k)); }

}  // namespace berryeval::kernels
