#include "kernels/plan.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "kernels/average_precision.hpp"
#include "kernels/bpref.hpp"
#include "kernels/compatibility.hpp"
#include "kernels/counts.hpp"
#include "kernels/cumulated_gain.hpp"
#include "kernels/expected_reciprocal_rank.hpp"
#include "kernels/f1.hpp"
#include "kernels/f_beta.hpp"
#include "kernels/hit_rate.hpp"
#include "kernels/inferred_ap.hpp"
#include "kernels/intent_aware.hpp"
#include "kernels/interpolated_precision.hpp"
#include "kernels/judged_share.hpp"
#include "kernels/ndcg.hpp"
#include "kernels/ndcg_points.hpp"
#include "kernels/normalised_gain.hpp"
#include "kernels/novelty.hpp"
#include "kernels/pairwise_accuracy.hpp"
#include "kernels/precision.hpp"
#include "kernels/r_precision.hpp"
#include "kernels/rank_biased_precision.hpp"
#include "kernels/reading.hpp"
#include "kernels/recall.hpp"
#include "kernels/reciprocal_rank.hpp"
#include "kernels/relative_precision.hpp"
#include "kernels/sampled.hpp"
#include "kernels/set_based.hpp"
#include "kernels/user_models.hpp"
#include "kernels/utility.hpp"
#include "kernels/yaap.hpp"

namespace berryeval::kernels {

// The arguments of a call. Each is read once, with the type that the kernel requires.
class Plan::Arguments {
public:
    Arguments(const Call& call, const Discounts& discounts)
        : kernel_(call.kernel), left_(call.arguments), discounts_(discounts) {}

    // The table at the time when the kernel is created.
    const Discounts& discounts() const { return discounts_; }

    // Whether the kernel only sees judged documents. Later requests belong to `part`.
    bool judged_only() {
        if (!left_.contains("judged_only")) return false;
        if (number("judged_only") != 1.0) refuse("judged_only");
        return true;
    }

    void belong_to(Part& part) { part_ = &part; }

    double number(const char* name) { return as<double>(name, take(name)); }

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

    Cutoff cutoff() {
        const std::optional<double> k = optional_number("k");
        if (!k) return {};
        constexpr double most = 0x1p53;
        if (!(*k >= 0.0 && *k <= most)) refuse("k");
        return static_cast<std::size_t>(*k);
    }

    bool flag(const char* name) {
        const double value = number(name);
        if (value != 0.0 && value != 1.0) refuse(name);
        return value == 1.0;
    }

    GainScale gain_scale() {
        const GainScale scale{number("min_grade"), number("max_grade")};
        if (!(scale.min_grade >= 0.0 && scale.min_grade < scale.max_grade)) refuse("max_grade");
        return scale;
    }

    RecallRounding rounding() {
        return one_of<RecallRounding>(
            "rounding", take("rounding"),
            {{"up", RecallRounding::up}, {"nearest", RecallRounding::nearest}});
    }

    // The position in the scratch of the documents that are relevant at this level.
    std::size_t relevant() { return place_of(level(), part_->levels); }

    // The position in the scratch of the grades converted to these gains.
    std::size_t gained() { return place_of(gain(0.0), part_->gains); }

    std::size_t gained_from_level() {
        const double lowest = level();
        return place_of(gain(lowest), part_->gains);
    }

    // The same for sampled judgments.
    std::size_t sampled_relevant() { return place_of(level(), part_->sampled_levels); }
    std::size_t sampled_gains() { return place_of(gain(0.0), part_->sampled_gains); }
    // A cutoff of a kernel that requires the lengths of the documents up to it.
    Cutoff cutoff_with_lengths() {
        const Cutoff k = cutoff();
        const std::size_t n_wanted = k.value_or(std::numeric_limits<std::size_t>::max());
        part_->n_lengths = std::max(part_->n_lengths, n_wanted);
        return k;
    }

    void look_across_queries() { part_->looks_across_queries = true; }

    // The position in the scratch of the documents that serve intents at this level.
    std::size_t served() { return place_of(IntentLevel{level()}, part_->intent_levels); }

    // The same, and the level.
    std::pair<std::size_t, double> served_from_level() {
        const std::size_t place = served();
        return {place, part_->intent_levels[place].level};
    }

    // The position in the scratch of the documents' gains with this alpha, and of the ideal gains.
    std::size_t novel(double alpha) { return place_of(Novelty{served(), alpha}, part_->novelties); }
    std::size_t novel_and_ideal(double alpha, Cutoff k) {
        const std::size_t place = novel(alpha);
        Novelty& wanted = part_->novelties[place];
        part_->intent_levels[wanted.served].wants_ideal = true;
        wanted.wants_ideal = true;
        wanted.most = k && wanted.most ? std::max(*k, *wanted.most) : Cutoff{};
        return place;
    }

    double alpha() {
        const double alpha = number("alpha");
        if (!(alpha >= 0.0 && alpha <= 1.0)) refuse("alpha");
        return alpha;
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

    double level() {
        const double level = number("level");
        if (!(level >= 0.0)) refuse("level");
        return level;
    }

    Gain gain(double level) {
        using Table = std::vector<std::pair<double, double>>;
        const Argument value = take("gain");
        if (const Table* const table = std::get_if<Table>(&value)) {
            return {Gain::Kind::table, *table, level};
        }
        const Gain::Kind kind = one_of<Gain::Kind>(
            "gain", value, {{"linear", Gain::Kind::linear}, {"exp2", Gain::Kind::exp2}});
        return {kind, {}, level};
    }

    template <class T>
    static std::size_t place_of(const T& value, std::vector<T>& values) {
        const auto found = std::ranges::find(values, value);
        const auto place = static_cast<std::size_t>(found - values.begin());
        if (found == values.end()) values.push_back(value);
        return place;
    }

    std::string kernel_;
    std::map<std::string, Argument> left_;
    const Discounts& discounts_;
    Part* part_ = nullptr;
};

// Preparing a kernel: its arguments are read once, and stored with the function.
struct Plan::Makers {
    using Make = Kernel (*)(Arguments&);

    template <double (*kernel)(const Ranking&)>
    static Kernel of_ranking(Arguments&) {
        return [](const Query& q) { return kernel(q.ranking); };
    }

    template <double (*kernel)(const Ranking&, Cutoff)>
    static Kernel of_ranking_at_k(Arguments& a) {
        return [k = a.cutoff()](const Query& q) { return kernel(q.ranking, k); };
    }

    template <double (*kernel)(const Ranking&, Cutoff)>
    static Kernel across_queries_at_k(Arguments& a) {
        a.look_across_queries();
        return of_ranking_at_k<kernel>(a);
    }

    template <double (*kernel)(const Relevant&)>
    static Kernel of_relevant(Arguments& a) {
        return [i = a.relevant()](const Query& q) { return kernel(q.scratch.relevant[i]); };
    }

    template <double (*kernel)(const Relevant&, Cutoff)>
    static Kernel of_relevant_at_k(Arguments& a) {
        return [i = a.relevant(), k = a.cutoff()](const Query& q) {
            return kernel(q.scratch.relevant[i], k);
        };
    }

    template <double (*kernel)(const Gained&)>
    static Kernel of_gained(Arguments& a) {
        return [i = a.gained()](const Query& q) { return kernel(q.scratch.gained[i]); };
    }

    template <double (*kernel)(const Gained&, Cutoff)>
    static Kernel of_gained_at_k(Arguments& a) {
        return [i = a.gained(), k = a.cutoff()](const Query& q) {
            return kernel(q.scratch.gained[i], k);
        };
    }

    template <double (*kernel)(const Gained&, Cutoff)>
    static Kernel of_gained_from_level_at_k(Arguments& a) {
        return [i = a.gained_from_level(), k = a.cutoff()](const Query& q) {
            return kernel(q.scratch.gained[i], k);
        };
    }

    template <double (*kernel)(const Ranking&, Cutoff, const GainScale&)>
    static Kernel of_reader_to_k(Arguments& a) {
        return [k = a.cutoff(), scale = a.gain_scale()](const Query& q) {
            return kernel(q.ranking, k, scale);
        };
    }

    template <double (*kernel)(const Ranking&, double, const GainScale&)>
    static Kernel of_reader_with_goal(Arguments& a) {
        return [goal = a.number("goal"), scale = a.gain_scale()](const Query& q) {
            return kernel(q.ranking, goal, scale);
        };
    }

    template <double (*kernel)(const Served&, Cutoff)>
    static Kernel of_served_at_k(Arguments& a) {
        return [i = a.served(), k = a.cutoff()](const Query& q) {
            return kernel(q.scratch.served[i], k);
        };
    }

    // The kernels are created for one kind of discount, `discount_of` the table of logarithms.
    template <auto discount_of>
    static Kernel of_novelty(Arguments& a) {
        const double alpha = a.alpha();
        const Cutoff k = a.cutoff();
        std::optional<double> most;
        if (k) most = most_gained(*k, alpha, discount_of(a.discounts()));
        return [i = a.novel(alpha), alpha, k, most](const Query& q) {
            return share_of_most(q.scratch.novel[i], k, alpha, most, discount_of(q.discounts));
        };
    }

    template <auto discount_of>
    static Kernel of_ideal_novelty(Arguments& a) {
        const double alpha = a.alpha();
        const Cutoff k = a.cutoff();
        return [i = a.novel_and_ideal(alpha, k), k](const Query& q) {
            return share_of_ideal(q.scratch.novel[i], k, discount_of(q.discounts));
        };
    }

    static DiscountByLog2 by_log2(const Discounts& discounts) { return {discounts}; }
    static DiscountByRank by_rank(const Discounts&) { return {}; }

    static const std::map<std::string_view, Make>& by_name();
};

const std::map<std::string_view, Plan::Makers::Make>& Plan::Makers::by_name() {
    static const std::map<std::string_view, Make> makers{
        {"n_queries", of_ranking<n_queries>},
        {"n_retrieved", of_ranking<n_retrieved>},
        {"hole_share", across_queries_at_k<hole_share>},
        {"judged_share", of_ranking_at_k<judged_share>},
        {"n_unjudged_retrieved", of_ranking_at_k<n_unjudged_retrieved>},
        {"unjudged_share", of_ranking_at_k<unjudged_share>},
        {"bpref", of_relevant<bpref>},
        {"inferred_average_precision", of_relevant<inferred_average_precision>},
        {"n_relevant", of_relevant<n_relevant>},
        {"r_precision", of_relevant<r_precision>},
        {"set_average_precision", of_relevant<set_average_precision>},
        {"yaap", of_relevant<yaap>},
        {"average_precision", of_relevant_at_k<average_precision>},
        {"f1", of_relevant_at_k<f1>},
        {"hit_rate", of_relevant_at_k<hit_rate>},
        {"n_nonrelevant_retrieved", of_relevant_at_k<n_nonrelevant_retrieved>},
        {"n_relevant_retrieved", of_relevant_at_k<n_relevant_retrieved>},
        {"pairwise_accuracy", of_relevant_at_k<pairwise_accuracy>},
        {"precision", of_relevant_at_k<precision>},
        {"recall", of_relevant_at_k<recall>},
        {"reciprocal_rank", of_relevant_at_k<reciprocal_rank>},
        {"relative_precision", of_relevant_at_k<relative_precision>},
        {"ndcg_at_relevant", of_gained<ndcg_at_relevant>},
        {"normalised_gain", of_gained<normalised_gain>},
        {"normalised_cumulated_gain", of_gained_at_k<normalised_cumulated_gain>},
        {"dcg", of_gained_from_level_at_k<dcg>},
        {"ideal_dcg", of_gained_from_level_at_k<ideal_dcg>},
        {"ndcg", of_gained_from_level_at_k<ndcg>},
        {"inst", of_reader_with_goal<inst>},
        {"nerr8", of_reader_to_k<nerr8>},
        {"nerr9", of_reader_to_k<nerr9>},
        {"nerr11", of_reader_with_goal<nerr11>},
        {"average_precision_ia", of_served_at_k<average_precision_ia>},
        {"precision_ia", of_served_at_k<precision_ia>},
        {"subtopic_recall", of_served_at_k<subtopic_recall>},
        {"alpha_dcg", of_novelty<by_log2>},
        {"alpha_ndcg", of_ideal_novelty<by_log2>},
        {"err_ia", of_novelty<by_rank>},
        {"nerr_ia", of_ideal_novelty<by_rank>},
        {"nrbp",
         [](Arguments& a) -> Kernel {
             const double alpha = a.alpha();
             return [i = a.novel(alpha), alpha, k = a.cutoff(), beta = a.number("beta")](
                        const Query& q) { return nrbp(q.scratch.novel[i], k, alpha, beta); };
         }},
        {"nnrbp",
         [](Arguments& a) -> Kernel {
             const Cutoff k = a.cutoff();
             return [i = a.novel_and_ideal(a.alpha(), k), k, beta = a.number("beta")](
                        const Query& q) { return nnrbp(q.scratch.novel[i], k, beta); };
         }},
        {"average_over_points",
         [](Arguments& a) -> Kernel {
             return [i = a.relevant(), points = a.numbers("points"),
                     rounding = a.rounding()](const Query& q) {
                 return average_over_points(q.scratch.relevant[i], points, rounding);
             };
         }},
        {"bejeweled_player_model",
         [](Arguments& a) -> Kernel {
             return
                 [k = a.cutoff(), goal = a.number("goal"), scale = a.gain_scale()](const Query& q) {
                     return bejeweled_player_model(q.ranking, k, goal, scale);
                 };
         }},
        {"binary_normalised_gain",
         [](Arguments& a) -> Kernel {
             return [i = a.relevant()](const Query& q) {
                 return binary_normalised_gain(q.scratch.relevant[i], q.discounts);
             };
         }},
        {"compatibility",
         [](Arguments& a) -> Kernel {
             return [p = a.number("p"), normalise = a.flag("normalise")](const Query& q) {
                 return compatibility(q.ranking, p, normalise);
             };
         }},
        {"eleven_point_average",
         [](Arguments& a) -> Kernel {
             return [i = a.relevant(), rounding = a.rounding()](const Query& q) {
                 return eleven_point_average(q.scratch.relevant[i], rounding);
             };
         }},
        {"expected_reciprocal_rank",
         [](Arguments& a) -> Kernel {
             return [k = a.cutoff(), max_grade = a.number("max_grade")](const Query& q) {
                 return expected_reciprocal_rank(q.ranking, k, max_grade);
             };
         }},
        {"graded_err_ia",
         [](Arguments& a) -> Kernel {
             const auto [i, level] = a.served_from_level();
             return [i = i, level = level, k = a.cutoff(),
                     max_grade = a.number("max_grade")](const Query& q) {
                 return graded_err_ia(q.scratch.served[i], k, level, max_grade);
             };
         }},
        {"f_beta",
         [](Arguments& a) -> Kernel {
             return [i = a.relevant(), k = a.cutoff(), beta = a.number("beta")](const Query& q) {
                 return f_beta(q.scratch.relevant[i], k, beta);
             };
         }},
        {"insq",
         [](Arguments& a) -> Kernel {
             const double goal = a.number("goal");
             return [goal, scale = a.gain_scale(), n_ranks = insq_ranks(goal)](const Query& q) {
                 return insq(q.ranking, goal, scale, n_ranks);
             };
         }},
        {"interpolated_precision",
         [](Arguments& a) -> Kernel {
             return [i = a.relevant(), recall = a.number("recall"),
                     rounding = a.rounding()](const Query& q) {
                 return interpolated_precision(q.scratch.relevant[i], recall, rounding);
             };
         }},
        {"nerr10",
         [](Arguments& a) -> Kernel {
             return [p = a.number("p"), scale = a.gain_scale()](const Query& q) {
                 return nerr10(q.ranking, p, scale);
             };
         }},
        {"ndcg_at_gain_levels",
         [](Arguments& a) -> Kernel {
             return [i = a.gained(), j = a.relevant()](const Query& q) {
                 return ndcg_at_gain_levels(q.scratch.gained[i], q.scratch.relevant[j]);
             };
         }},
        {"r_precision_at_multiple",
         [](Arguments& a) -> Kernel {
             return [i = a.relevant(), times = a.number("times")](const Query& q) {
                 return r_precision_at_multiple(q.scratch.relevant[i], times);
             };
         }},
        {"rank_biased_precision",
         [](Arguments& a) -> Kernel {
             return [i = a.relevant(), k = a.cutoff(), p = a.number("p"),
                     max_grade = a.optional_number("max_grade")](const Query& q) {
                 return rank_biased_precision(q.scratch.relevant[i], k, p, max_grade);
             };
         }},
        {"rank_biased_residual",
         [](Arguments& a) -> Kernel {
             return [k = a.cutoff(), p = a.number("p")](const Query& q) {
                 return rank_biased_residual(q.ranking, k, p);
             };
         }},
        {"stratified_average_precision",
         [](Arguments& a) -> Kernel {
             return [i = a.sampled_relevant(), k = a.cutoff()](const Query& q) {
                 return stratified_average_precision(q.scratch.sampled_relevant[i], k);
             };
         }},
        {"inferred_ndcg",
         [](Arguments& a) -> Kernel {
             return [i = a.sampled_gains(), k = a.cutoff()](const Query& q) {
                 return inferred_ndcg(q.scratch.sampled_gains[i], k, q.discounts);
             };
         }},
        {"scaled_dcg",
         [](Arguments& a) -> Kernel {
             const Cutoff k = a.cutoff();
             return [k, scale = a.gain_scale(),
                     full = full_dcg(last_rank(k), a.discounts())](const Query& q) {
                 return scaled_dcg(q.ranking, k, scale, full, q.discounts);
             };
         }},
        {"set_f",
         [](Arguments& a) -> Kernel {
             return [i = a.relevant(), x = a.number("x")](const Query& q) {
                 return set_f(q.scratch.relevant[i], x);
             };
         }},
        {"time_biased_gain",
         [](Arguments& a) -> Kernel {
             const Cutoff k = a.cutoff_with_lengths();
             const double level = a.number("level");
             const Clock clock{a.number("halflife"), a.number("scan"),  a.number("page"),
                               a.number("pace"),     a.number("click"), a.number("stray"),
                               a.number("save")};
             return [=](const Query& q) { return time_biased_gain(q.ranking, k, level, clock); };
         }},
        {"token_count",
         [](Arguments& a) -> Kernel {
             return [k = a.cutoff_with_lengths()](const Query& q) {
                 return token_count(q.ranking, k);
             };
         }},
        {"u_measure",
         [](Arguments& a) -> Kernel {
             const Cutoff k = a.cutoff_with_lengths();
             const Trail trail{a.number("patience"), a.number("snippet"), a.number("read"),
                               a.number("max_grade")};
             return [=](const Query& q) { return u_measure(q.ranking, k, trail); };
         }},
        {"utility",
         [](Arguments& a) -> Kernel {
             return [i = a.relevant(), worth = a.four_numbers("worth"),
                     n_documents = a.number("n_documents")](const Query& q) {
                 return utility(q.scratch.relevant[i], worth, n_documents);
             };
         }},
    };
    return makers;
}

Plan::Plan(const std::vector<Call>& calls, std::vector<double> log2_ranks)
    : discounts_(std::move(log2_ranks)) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
        const auto make = Makers::by_name().find(calls[i].kernel);
        if (make == Makers::by_name().end()) {
            throw std::invalid_argument("no kernel is called " + calls[i].kernel);
        }
        Arguments arguments(calls[i], discounts_);
        Part& part = arguments.judged_only() ? condensed_ : whole_;
        arguments.belong_to(part);
        part.kernels.push_back(make->second(arguments));
        part.places.push_back(i);
        arguments.expect_none_left();
    }
}

void Plan::score(const Ranking& ranking, Scratch& scratch, std::span<double> out) const {
    score(whole_, ranking, scratch.whole, out);
    if (condensed_.kernels.empty()) return;
    scratch.hits.clear();
    scratch.lengths.clear();
    for (const Hit& hit : ranking.hits) {
        if (hit.grade >= 0.0) {
            if (hit.rank <= ranking.lengths.size()) {
                scratch.lengths.push_back(ranking.lengths[hit.rank - 1]);
            }
            const auto rank = static_cast<std::uint32_t>(scratch.hits.size() + 1);
            scratch.hits.push_back({rank, hit.row, hit.grade});
        }
    }
    const Ranking condensed{.n_retrieved = scratch.hits.size(),
                            .hits = scratch.hits,
                            .judged = ranking.judged,
                            .intents = ranking.intents,
                            .strata = ranking.strata,
                            .lengths = scratch.lengths};
    score(condensed_, condensed, scratch.condensed, out);
}

void Plan::score(const Part& part, const Ranking& ranking, Scratch::Shared& scratch,
                 std::span<double> out) const {
    scratch.relevant.resize(part.levels.size());
    scratch.gained.resize(part.gains.size());
    for (std::size_t i = 0; i < part.levels.size(); ++i) {
        scratch.relevant[i].read(ranking, part.levels[i]);
    }
    for (std::size_t i = 0; i < part.gains.size(); ++i) {
        scratch.gained[i].read(ranking, part.gains[i], discounts_);
    }
    scratch.served.resize(part.intent_levels.size());
    scratch.novel.resize(part.novelties.size());
    for (std::size_t i = 0; i < part.intent_levels.size(); ++i) {
        const IntentLevel& wanted = part.intent_levels[i];
        scratch.served[i].read(ranking, wanted.level, wanted.wants_ideal);
    }
    for (std::size_t i = 0; i < part.novelties.size(); ++i) {
        const Novelty& novelty = part.novelties[i];
        scratch.novel[i].read(scratch.served[novelty.served], novelty.alpha, novelty.wants_ideal,
                              novelty.most);
    }
    scratch.sampled_relevant.resize(part.sampled_levels.size());
    scratch.sampled_gains.resize(part.sampled_gains.size());
    for (std::size_t i = 0; i < part.sampled_levels.size(); ++i) {
        scratch.sampled_relevant[i].read(ranking, part.sampled_levels[i]);
    }
    for (std::size_t i = 0; i < part.sampled_gains.size(); ++i) {
        scratch.sampled_gains[i].read(ranking, part.sampled_gains[i], discounts_);
    }
    const Query query{ranking, discounts_, scratch};
    for (std::size_t i = 0; i < part.kernels.size(); ++i) {
        out[part.places[i]] = part.kernels[i](query);
    }
}

}  // namespace berryeval::kernels
