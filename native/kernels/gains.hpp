// The gain of a grade: itself, a power of two, or a value from a table.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "kernels/discounts.hpp"
#include "kernels/ranking.hpp"

namespace berryeval::kernels {

struct Gain {
    enum class Kind { linear, exp2, table };

    Kind kind = Kind::linear;
    std::vector<std::pair<double, double>> table;  // from grade to gain, others as linear
    double level = 0.0;                            // lower grades gain nothing; 0 or more

    bool operator==(const Gain&) const = default;
};

// The gain of a grade: itself, and nothing below 0.
inline double gain(double grade) { return grade > 0.0 ? grade : 0.0; }

// 2^x. Python calls pow; for a constant base, a compiler might call another function.
inline double power_of_two(double x) {
    const volatile double two = 2.0;
    return std::pow(two, x);
}

inline double exp2_gain(double grade) {
    constexpr double limit = 963.0;  // 2^963 is the greatest power of two below max_grade
    constexpr double max_grade = 1e290;
    return grade <= limit ? power_of_two(grade) - 1.0 : max_grade;
}

inline double table_gain(double grade, const Gain& gain_of) {
    for (const auto& [key, value] : gain_of.table) {
        if (key == grade) return value;
    }
    return grade;
}

// Twin of berryeval.kernels.gains.gains, for one document.
inline double gain(double grade, const Gain& gain_of) {
    if (!(grade >= gain_of.level)) return 0.0;
    switch (gain_of.kind) {
        case Gain::Kind::exp2:
            return exp2_gain(grade);
        case Gain::Kind::table:
            return table_gain(grade, gain_of);
        default:
            return gain(grade);
    }
}

// The gains of one query's documents, computed once for all kernels that need them.
struct Gained {
    const Ranking* ranking = nullptr;
    std::vector<double> gains;       // of each hit
    std::vector<double> ideal;       // twin of berryeval.kernels.gains.ideal_gains
    std::vector<double> dcgs;        // DCG of the first 0, 1, 2, ... hits
    std::vector<double> ideal_dcgs;  // likewise

    void read(const Ranking& of, const Gain& gain_of, const Discounts& discounts) {
        ranking = &of;
        gains.clear();
        dcgs.assign(1, 0.0);
        for (const Hit& hit : of.hits) {
            gains.push_back(gain(hit.grade, gain_of));
            dcgs.push_back(dcgs.back() +
                           discounted_gain(gains.back(), discounts.log2_rank(hit.rank)));
        }
        read_ideal(of.judged, gain_of);
        ideal_dcgs.assign(1, 0.0);
        for (std::size_t i = 0; i < ideal.size(); ++i) {
            ideal_dcgs.push_back(ideal_dcgs.back() +
                                 discounted_gain(ideal[i], discounts.log2_rank(i + 1)));
        }
    }

    double dcg(Cutoff k) const { return dcgs[first(ranking->hits, k).size()]; }

    // After the last gain, nothing is gained.
    double ideal_dcg(Cutoff k) const { return ideal_dcgs[n_first(ideal.size(), k)]; }

private:
    void read_ideal(std::span<const double> judged, const Gain& gain_of) {
        ideal.clear();
        double value = 0.0;
        for (std::size_t i = 0; i < judged.size(); ++i) {
            // Equal grades are adjacent, and computing a power is slow.
            if (i == 0 || judged[i] != judged[i - 1]) value = gain(judged[i], gain_of);
            if (value > 0.0) ideal.push_back(value);
        }
        if (!std::ranges::is_sorted(ideal, std::greater<>())) {
            std::ranges::sort(ideal, std::greater<>());
        }
    }
};

}  // namespace berryeval::kernels
