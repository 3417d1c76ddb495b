#pragma once

namespace berryeval::kernels {

// What a grade is worth: itself, and nothing below 0.
inline double gain(double grade) { return grade > 0.0 ? grade : 0.0; }

// What a document adds to DCG. `log2_rank` is log2(rank + 1), from the table both twins share.
inline double discounted_gain(double gain, double log2_rank) { return gain / log2_rank; }

// Twin of berryeval.kernels.ndcg. Rounding never lifts a ranking above the ideal one.
inline double ndcg(double dcg, double ideal_dcg) {
    if (!(ideal_dcg > 0.0)) return 0.0;
    const double value = dcg / ideal_dcg;
    return value < 1.0 ? value : 1.0;
}

}  // namespace berryeval::kernels
