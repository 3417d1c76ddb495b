// The logarithms that ranks are discounted by.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace berryeval::kernels {

// The table of berryeval.kernels.discounts, which both twins share.
class Discounts {
public:
    explicit Discounts(std::vector<double> log2_ranks) : log2_ranks_(std::move(log2_ranks)) {}

    // log2(rank + 1). Beyond the table, it calls the C library, as Python does.
    double log2_rank(std::size_t rank) const {
        return rank <= log2_ranks_.size() ? log2_ranks_[rank - 1]
                                          : std::log2(static_cast<double>(rank + 1));
    }

private:
    std::vector<double> log2_ranks_;
};

// A document's contribution to DCG. `log2_rank` is log2(rank + 1), from the shared table.
inline double discounted_gain(double gain, double log2_rank) { return gain / log2_rank; }

}  // namespace berryeval::kernels
