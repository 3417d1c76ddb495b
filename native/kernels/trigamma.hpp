// Sums of 1 / x^2 in one step, where user models would need a thousand.
#pragma once

namespace berryeval::kernels {

// Twin of berryeval.kernels.trigamma: the sum of 1 / (x + i)^2 over i = 0, 1, 2, ..., for x above
// 0.
inline double trigamma(double x) {
    double total = 0.0;
    for (; x < 12.0; x += 1.0) total += 1.0 / (x * x);
    const double y = 1.0 / (x * x);
    double series = 1.0 / 30.0 - y * (5.0 / 66.0 - y * (691.0 / 2730.0 - y * (7.0 / 6.0)));
    series = 1.0 / 6.0 - y * (1.0 / 30.0 - y * (1.0 / 42.0 - y * series));
    return total + (1.0 / x + y / 2.0 + series * y / x);
}

}  // namespace berryeval::kernels
