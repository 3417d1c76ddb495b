// Measures by name and parameters, prepared to score any number of queries.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/discounts.hpp"
#include "kernels/gains.hpp"
#include "kernels/intents.hpp"
#include "kernels/ranking.hpp"
#include "kernels/relevance.hpp"
#include "kernels/sampled.hpp"

namespace berryeval::kernels {

// None, a number, a word, numbers, or a table from grade to gain.
using Argument = std::variant<std::monostate, double, std::string, std::vector<double>,
                              std::vector<std::pair<double, double>>>;

// A function of berryeval.kernels by its name, and all its arguments except grades and judged. With
// an argument `judged_only` of 1, it sees the ranking without unjudged documents.
struct Call {
    std::string kernel;
    std::map<std::string, Argument> arguments;
};

// Intermediate results that several kernels share for a query, one for each level and gain of a
// plan. Every thread needs its own.
struct Scratch {
    struct Shared {
        std::vector<Relevant> relevant;
        std::vector<Gained> gained;
        std::vector<Served> served;
        std::vector<Novel> novel;
        std::vector<SampledRelevant> sampled_relevant;
        std::vector<SampledGains> sampled_gains;
    };
    Shared whole;                 // of the whole ranking
    Shared condensed;             // of its judged documents
    std::vector<Hit> hits;        // of these
    std::vector<double> lengths;  // of these
};

class Plan {
public:
    // `log2_ranks` is the current table of berryeval.kernels.discounts. Throws
    // std::invalid_argument if there is no such kernel, or it takes other arguments.
    Plan(const std::vector<Call>& calls, std::vector<double> log2_ranks);

    // The number of calls.
    std::size_t size() const { return whole_.kernels.size() + condensed_.kernels.size(); }

    // Whether a kernel needs to know which documents other queries judge.
    bool looks_across_queries() const {
        return whole_.looks_across_queries || condensed_.looks_across_queries;
    }

    // The number of documents, from the first, whose lengths kernels require.
    std::size_t n_lengths() const {
        // Which documents a condensed ranking leaves out is not known in advance.
        return condensed_.n_lengths > 0 ? std::numeric_limits<std::size_t>::max()
                                        : whole_.n_lengths;
    }

    // Writes the value of each call to `out`, which has room for all of them. Threads may call it
    // concurrently. Any scratch can be passed; it grows as necessary.
    void score(const Ranking& ranking, Scratch& scratch, std::span<double> out) const;

private:
    struct Query {
        const Ranking& ranking;
        const Discounts& discounts;
        const Scratch::Shared& scratch;
    };
    using Kernel = std::function<double(const Query&)>;
    // Everything that is requested of the intents at one level.
    struct IntentLevel {
        double level;
        bool wants_ideal = false;
        bool operator==(const IntentLevel& other) const { return level == other.level; }
    };
    struct Novelty {
        std::size_t served;  // place of its level
        double alpha;
        bool wants_ideal = false;
        Cutoff most = 0;  // ranks of the ideal ranking that any kernel looks at
        bool operator==(const Novelty& other) const {
            return served == other.served && alpha == other.alpha;
        }
    };
    // The kernels that see the same ranking.
    struct Part {
        std::vector<double> levels;  // each once
        std::vector<Gain> gains;     // likewise
        std::vector<IntentLevel> intent_levels;
        std::vector<Novelty> novelties;
        std::vector<double> sampled_levels;
        std::vector<Gain> sampled_gains;
        std::vector<Kernel> kernels;
        std::vector<std::size_t> places;  // of their values among those of all calls
        bool looks_across_queries = false;
        std::size_t n_lengths = 0;
    };
    class Arguments;
    struct Makers;

    void score(const Part& part, const Ranking& ranking, Scratch::Shared& scratch,
               std::span<double> out) const;

    Discounts discounts_;
    Part whole_;
    Part condensed_;
};

}  // namespace berryeval::kernels
