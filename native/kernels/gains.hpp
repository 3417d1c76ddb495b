// What a grade is worth: itself, a power of two, or what a table says.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace berryeval::kernels {

struct Gain {
    enum class Kind { linear, exp2, table };

    Kind kind = Kind::linear;
    std::vector<std::pair<double, double>> table;  // from grade to gain, others as linear
};

// Memory that the kernels of one thread work in.
class Scratch {
public:
    // With room for this many judged documents, scoring takes no memory.
    explicit Scratch(std::size_t most_judged = 0) { gains_.reserve(most_judged); }

    std::vector<double>& gains() { return gains_; }

private:
    std::vector<double> gains_;
};

// What a grade is worth: itself, and nothing below 0.
inline double gain(double grade) { return grade > 0.0 ? grade : 0.0; }

// 2^x. Python calls pow; of a constant base a compiler might make another function.
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

// Twin of berryeval.kernels.gains.gains, for one document. `level` is 0 or more.
inline double gain(double grade, const Gain& gain_of, double level) {
    if (!(grade >= level)) return 0.0;
    switch (gain_of.kind) {
        case Gain::Kind::exp2:
            return exp2_gain(grade);
        case Gain::Kind::table:
            return table_gain(grade, gain_of);
        default:
            return gain(grade);
    }
}

// Twin of berryeval.kernels.gains.ideal_gains. What it returns is good until the next call.
inline std::span<const double> ideal_gains(std::span<const double> judged, const Gain& gain_of,
                                           double level, Scratch& scratch) {
    if (gain_of.kind == Gain::Kind::linear) {  // they are in order
        const auto has_gain = [=](double grade) { return grade >= level && grade > 0.0; };
        const auto end = std::find_if_not(judged.begin(), judged.end(), has_gain);
        return judged.first(static_cast<std::size_t>(end - judged.begin()));
    }
    std::vector<double>& gains = scratch.gains();
    gains.clear();
    double value = 0.0;
    for (std::size_t i = 0; i < judged.size(); ++i) {
        // Equal grades stand side by side, and a power takes long.
        if (i == 0 || judged[i] != judged[i - 1]) value = gain(judged[i], gain_of, level);
        if (value > 0.0) gains.push_back(value);
    }
    if (!std::ranges::is_sorted(gains, std::greater<>())) {
        std::ranges::sort(gains, std::greater<>());
    }
    return gains;
}

}  // namespace berryeval::kernels
