#include "kernels/plan.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "kernels/average_precision.hpp"
#include "kernels/bpref.hpp"
#include "kernels/counts.hpp"
#include "kernels/cumulated_gain.hpp"
#include "kernels/expected_reciprocal_rank.hpp"
#include "kernels/f1.hpp"
#include "kernels/f_beta.hpp"
#include "kernels/hit_rate.hpp"
#include "kernels/inferred_ap.hpp"
#include "kernels/interpolated_precision.hpp"
#include "kernels/judged_share.hpp"
#include "kernels/ndcg.hpp"
#include "kernels/ndcg_points.hpp"
#include "kernels/normalised_gain.hpp"
#include "kernels/precision.hpp"
#include "kernels/r_precision.hpp"
#include "kernels/rank_biased_precision.hpp"
#include "kernels/recall.hpp"
#include "kernels/reciprocal_rank.hpp"
#include "kernels/relative_precision.hpp"
#include "kernels/set_based.hpp"
#include "kernels/utility.hpp"
#include "kernels/yaap.hpp"

namespace berryeval::kernels {
namespace {

// The arguments of a call. Each is read once, in the type that the kernel wants.
class Arguments {
public:
    explicit Arguments(const Call& call) : kernel_(call.kernel), left_(call.arguments) {}

    double number(const char* name) { return as<double>(name, take(name)); }

    double level() {
        const double level = number("level");
        if (!(level >= 0.0)) refuse("level");
        return level;
    }

    Cutoff cutoff() {
        const std::optional<double> k = optional_number("k");
        if (!k) return {};
        constexpr double most = 0x1p53;
        if (!(*k >= 0.0 && *k <= most)) refuse("k");
        return static_cast<std::size_t>(*k);
    }

    std::optional<double> optional_number(const char* name) {
        const Argument value = take(name);
        if (std::holds_alternative<std::monostate>(value)) return {};
        return as<double>(name, value);
    }

    std::vector<double> numbers(const char* name) {
        std::vector<double> values = as<std::vector<double>>(name, take(name));
        if (values.empty()) refuse(name);
        return values;
    }

    std::array<double, 4> four_numbers(const char* name) {
        const std::vector<double> values = numbers(name);
        std::array<double, 4> four{};
        if (values.size() != four.size()) refuse(name);
        std::copy(values.begin(), values.end(), four.begin());
        return four;
    }

    Gain gain() {
        using Table = std::vector<std::pair<double, double>>;
        const Argument value = take("gain");
        if (const Table* const table = std::get_if<Table>(&value)) {
            return {Gain::Kind::table, *table};
        }
        return {one_of<Gain::Kind>(
                    "gain", value,
                    {{"linear", Gain::Kind::linear}, {"exp2", Gain::Kind::exp2}}),
                {}};
    }

    RecallRounding rounding() {
        return one_of<RecallRounding>(
            "rounding", take("rounding"),
            {{"up", RecallRounding::up}, {"nearest", RecallRounding::nearest}});
    }

    void expect_none_left() const {
        if (!left_.empty()) refuse(left_.begin()->first);
    }

private:
    [[noreturn]] void refuse(const std::string& name) const {
        throw std::invalid_argument("kernel " + kernel_ + ": argument " + name + " does not fit");
    }

    Argument take(const char* name) {
        auto argument = left_.extract(name);
        if (argument.empty()) refuse(name);
        return argument.mapped();
    }

    template <class T>
    T as(const char* name, const Argument& value) const {
        const T* const found = std::get_if<T>(&value);
        if (!found) refuse(name);
        return *found;
    }

    template <class Choice>
    Choice one_of(const char* name, const Argument& value,
                  std::initializer_list<std::pair<std::string_view, Choice>> choices) const {
        const std::string word = as<std::string>(name, value);
        for (const auto& [known, choice] : choices) {
            if (known == word) return choice;
        }
        refuse(name);
    }

    std::string kernel_;
    std::map<std::string, Argument> left_;
};

}  // namespace

// How a kernel is made ready: its arguments are read once, and kept beside the function.
struct Plan::Makers {
    using Make = Kernel (*)(Arguments&);

    template <double (*kernel)(const Ranking&)>
    static Kernel plain(Arguments&) {
        return [](const Query& q) { return kernel(q.ranking); };
    }

    template <double (*kernel)(const Ranking&, double)>
    static Kernel with_level(Arguments& a) {
        return [level = a.level()](const Query& q) { return kernel(q.ranking, level); };
    }

    template <double (*kernel)(const Ranking&, Cutoff)>
    static Kernel at_k(Arguments& a) {
        return [k = a.cutoff()](const Query& q) { return kernel(q.ranking, k); };
    }

    template <double (*kernel)(const Ranking&, Cutoff, double)>
    static Kernel at_k_with_level(Arguments& a) {
        return [k = a.cutoff(), level = a.level()](const Query& q) {
            return kernel(q.ranking, k, level);
        };
    }

    static Kernel make(const Call& call) {
        const auto found = by_name().find(call.kernel);
        if (found == by_name().end()) {
            throw std::invalid_argument("no kernel is called " + call.kernel);
        }
        Arguments arguments(call);
        Kernel kernel = found->second(arguments);
        arguments.expect_none_left();
        return kernel;
    }

    static const std::map<std::string_view, Make>& by_name();
};

const std::map<std::string_view, Plan::Makers::Make>& Plan::Makers::by_name() {
    static const std::map<std::string_view, Make> makers{
        {"n_queries", plain<n_queries>},
        {"n_retrieved", plain<n_retrieved>},
        {"bpref", with_level<bpref>},
        {"inferred_average_precision", with_level<inferred_average_precision>},
        {"n_relevant", with_level<n_relevant>},
        {"r_precision", with_level<r_precision>},
        {"set_average_precision", with_level<set_average_precision>},
        {"yaap", with_level<yaap>},
        {"judged_share", at_k<judged_share>},
        {"unjudged_share", at_k<unjudged_share>},
        {"average_precision", at_k_with_level<average_precision>},
        {"f1", at_k_with_level<f1>},
        {"hit_rate", at_k_with_level<hit_rate>},
        {"n_nonrelevant_retrieved", at_k_with_level<n_nonrelevant_retrieved>},
        {"n_relevant_retrieved", at_k_with_level<n_relevant_retrieved>},
        {"precision", at_k_with_level<precision>},
        {"recall", at_k_with_level<recall>},
        {"reciprocal_rank", at_k_with_level<reciprocal_rank>},
        {"relative_precision", at_k_with_level<relative_precision>},
        {"average_over_points",
         [](Arguments& a) -> Kernel {
             return [points = a.numbers("points"), level = a.level(),
                     rounding = a.rounding()](const Query& q) {
                 return average_over_points(q.ranking, points, level, rounding);
             };
         }},
        {"binary_normalised_gain",
         [](Arguments& a) -> Kernel {
             return [level = a.level()](const Query& q) {
                 return binary_normalised_gain(q.ranking, level, q.discounts);
             };
         }},
        {"dcg",
         [](Arguments& a) -> Kernel {
             return [k = a.cutoff(), gain = a.gain(), level = a.level()](const Query& q) {
                 return dcg(q.ranking, k, gain, level, q.discounts);
             };
         }},
        {"eleven_point_average",
         [](Arguments& a) -> Kernel {
             return [level = a.level(), rounding = a.rounding()](const Query& q) {
                 return eleven_point_average(q.ranking, level, rounding);
             };
         }},
        {"expected_reciprocal_rank",
         [](Arguments& a) -> Kernel {
             return [k = a.cutoff(), max_grade = a.number("max_grade")](const Query& q) {
                 return expected_reciprocal_rank(q.ranking, k, max_grade);
             };
         }},
        {"f_beta",
         [](Arguments& a) -> Kernel {
             return [k = a.cutoff(), beta = a.number("beta"), level = a.level()](const Query& q) {
                 return f_beta(q.ranking, k, beta, level);
             };
         }},
        {"ideal_dcg",
         [](Arguments& a) -> Kernel {
             return [k = a.cutoff(), gain = a.gain(), level = a.level()](const Query& q) {
                 return ideal_dcg(q.ranking, k, gain, level, q.discounts, q.scratch);
             };
         }},
        {"interpolated_precision",
         [](Arguments& a) -> Kernel {
             return [recall = a.number("recall"), level = a.level(),
                     rounding = a.rounding()](const Query& q) {
                 return interpolated_precision(q.ranking, recall, level, rounding);
             };
         }},
        {"ndcg",
         [](Arguments& a) -> Kernel {
             return [k = a.cutoff(), gain = a.gain(), level = a.level()](const Query& q) {
                 return ndcg(q.ranking, k, gain, level, q.discounts, q.scratch);
             };
         }},
        {"ndcg_at_gain_levels",
         [](Arguments& a) -> Kernel {
             return [gain = a.gain(), level = a.level()](const Query& q) {
                 return ndcg_at_gain_levels(q.ranking, gain, level, q.discounts, q.scratch);
             };
         }},
        {"ndcg_at_relevant",
         [](Arguments& a) -> Kernel {
             return [gain = a.gain()](const Query& q) {
                 return ndcg_at_relevant(q.ranking, gain, q.discounts, q.scratch);
             };
         }},
        {"normalised_cumulated_gain",
         [](Arguments& a) -> Kernel {
             return [k = a.cutoff(), gain = a.gain()](const Query& q) {
                 return normalised_cumulated_gain(q.ranking, k, gain, q.scratch);
             };
         }},
        {"normalised_gain",
         [](Arguments& a) -> Kernel {
             return [gain = a.gain()](const Query& q) {
                 return normalised_gain(q.ranking, gain, q.scratch);
             };
         }},
        {"r_precision_at_multiple",
         [](Arguments& a) -> Kernel {
             return [times = a.number("times"), level = a.level()](const Query& q) {
                 return r_precision_at_multiple(q.ranking, times, level);
             };
         }},
        {"rank_biased_precision",
         [](Arguments& a) -> Kernel {
             return [k = a.cutoff(), p = a.number("p"), level = a.level(),
                     max_grade = a.optional_number("max_grade")](const Query& q) {
                 return rank_biased_precision(q.ranking, k, p, level, max_grade);
             };
         }},
        {"rank_biased_residual",
         [](Arguments& a) -> Kernel {
             return [k = a.cutoff(), p = a.number("p")](const Query& q) {
                 return rank_biased_residual(q.ranking, k, p);
             };
         }},
        {"set_f",
         [](Arguments& a) -> Kernel {
             return [x = a.number("x"), level = a.level()](const Query& q) {
                 return set_f(q.ranking, x, level);
             };
         }},
        {"utility",
         [](Arguments& a) -> Kernel {
             return [worth = a.four_numbers("worth"), n_documents = a.number("n_documents"),
                     level = a.level()](const Query& q) {
                 return utility(q.ranking, worth, n_documents, level);
             };
         }},
    };
    return makers;
}

Plan::Plan(const std::vector<Call>& calls, std::vector<double> log2_ranks)
    : discounts_(std::move(log2_ranks)) {
    kernels_.reserve(calls.size());
    for (const Call& call : calls) kernels_.push_back(Makers::make(call));
}

void Plan::score(const Ranking& ranking, Scratch& scratch, std::span<double> out) const {
    const Query query{ranking, discounts_, scratch};
    for (std::size_t i = 0; i < kernels_.size(); ++i) out[i] = kernels_[i](query);
}

}  // namespace berryeval::kernels
