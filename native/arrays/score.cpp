#include "arrays/score.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <vector>

#include "join/match.hpp"
#include "kernels/average_precision.hpp"
#include "kernels/f1.hpp"
#include "kernels/hit_rate.hpp"
#include "kernels/ndcg.hpp"
#include "kernels/precision.hpp"
#include "kernels/recall.hpp"
#include "kernels/reciprocal_rank.hpp"
#include "threads.hpp"

namespace berryeval::arrays {
namespace {

// Rows are matched one by one and scored a block at a time, so that the compiler can use
// vector division and every output line is written once.
constexpr std::size_t block_rows = 64;

// The rank of a document that was not retrieved.
constexpr double never = std::numeric_limits<double>::infinity();

// The input of the kernels for each row of a block, at one k.
struct AtK {
    double n_found[block_rows];
    double denominator[block_rows];
    double precision_sum[block_rows];
    double dcg[block_rows];
    double ideal_dcg[block_rows];
};

// The DCG of 0, 1, 2, ... documents that gain 1, from the top.
std::vector<double> binary_ideals(std::span<const double> log2_ranks, std::size_t most) {
    std::vector<double> ideals;
    ideals.reserve(most + 1);
    ideals.push_back(0.0);
    for (std::size_t i = 0; i < most; ++i) {
        ideals.push_back(ideals.back() + kernels::discounted_gain(1.0, log2_ranks[i]));
    }
    return ideals;
}

// Counts the bits from `first` to before `last`. Usually, all of them are set.
std::size_t count_bits(std::span<const std::uint64_t> words, std::size_t first, std::size_t last) {
    std::size_t count = 0;
    while (first < last) {
        const std::size_t offset = first % join::word_bits;
        const std::size_t taken = std::min(join::word_bits - offset, last - first);
        const std::uint64_t all = join::first_bits(taken);
        const std::uint64_t bits = (words[first / join::word_bits] >> offset) & all;
        count += bits == all ? taken : static_cast<std::size_t>(std::popcount(bits));
        first += taken;
    }
    return count;
}

// One thread's work. All memory is allocated by the constructor; running it cannot fail.
class alignas(cache_line) Worker {
public:
    Worker(const Request& request, join::Matcher matcher, std::span<const double> ideals)
        : request_(request),
          match_row_(matcher.match_row),
          ideals_(ideals),
          depth_(request.ks.back()),
          n_retrieved_(request.retrieved.size() / request.n_rows),
          n_relevant_(request.relevant.size() / request.n_rows),
          returned_(arena_.take<std::uint64_t>(join::words_for(depth_))),
          found_(arena_.take<std::uint64_t>(join::words_for(depth_))),
          places_(arena_.take<std::int32_t>(n_relevant_)),
          slots_(arena_.take<std::int32_t>(join::slots_for(n_relevant_))),
          precision_sums_(arena_.take<double>(most_found() + 1)),
          dcgs_(arena_.take<double>(most_found() + 1)),
          discounted_gains_(arena_.take<double>(depth_)),
          ideal_gains_(arena_.take<double>(n_relevant_)),
          k_after_(arena_.take<std::uint32_t>(depth_)),
          n_new_(arena_.take<std::uint32_t>(request.ks.size())),
          n_relevant_of_(arena_.take<double>(block_rows)),
          reciprocal_ranks_(arena_.take<double>(block_rows)),
          precisions_(arena_.take<double>(block_rows)),
          recalls_(arena_.take<double>(block_rows)),
          at_k_(arena_.take<AtK>(request.ks.size())),
          match_{returned_.data(), found_.data(), places_.data(), slots_.data(), 0} {
        precision_sums_[0] = 0.0;
        dcgs_[0] = 0.0;
        for (std::size_t i = 0, i_k = 0; i < depth_; ++i) {
            if (i == request.ks[i_k]) ++i_k;
            k_after_[i] = static_cast<std::uint32_t>(i_k);
            discounted_gains_[i] = kernels::discounted_gain(1.0, request.log2_ranks[i]);
        }
    }

    template <class Out>
    void run(std::size_t first, std::size_t last, Out* out) {
        for (std::size_t start = first; start < last; start += block_rows) {
            const std::size_t count = std::min(block_rows, last - start);
            for (std::size_t row = 0; row < count; ++row) read_row(start + row, row);
            write_block(start, count, out);
        }
    }

private:
    std::size_t most_found() const { return std::min(depth_, n_relevant_); }

    void read_row(std::size_t query, std::size_t row) {
        const std::size_t first_retrieved = query * n_retrieved_;
        const std::size_t first_relevant = query * n_relevant_;
        const join::Row retrieved{request_.retrieved.data() + first_retrieved, depth_,
                                  request_.retrieved.size() - first_retrieved};
        const join::Row relevant{request_.relevant.data() + first_relevant, n_relevant_,
                                 request_.relevant.size() - first_relevant};
        match_row_(retrieved, relevant, match_);
        n_relevant_of_[row] = static_cast<double>(match_.n_relevant);
        if (request_.grades) {
            read_grades(row, request_.grades + first_relevant);
        } else {
            read_binary(row);
        }
        walk_ranks(row);
    }

    void read_binary(std::size_t row) {
        for (std::size_t i_k = 0; i_k < request_.ks.size(); ++i_k) {
            at_k_[i_k].ideal_dcg[row] = ideals_[std::min(match_.n_relevant, request_.ks[i_k])];
        }
    }

    void read_grades(std::size_t row, const double* grades) {
        std::size_t n_gains = 0;
        for (std::size_t j = 0; j < n_relevant_; ++j) {
            if (places_[j] == join::not_a_document) continue;
            const double gain = kernels::gain(grades[j]);
            ideal_gains_[n_gains++] = gain;
            if (places_[j] != join::not_retrieved) {
                discounted_gains_[places_[j]] =
                    kernels::discounted_gain(gain, request_.log2_ranks[places_[j]]);
            }
        }
        std::sort(ideal_gains_.begin(), ideal_gains_.begin() + n_gains, std::greater<>());
        double ideal_dcg = 0.0;
        std::size_t i = 0;
        for (std::size_t i_k = 0; i_k < request_.ks.size(); ++i_k) {
            for (; i < std::min(request_.ks[i_k], n_gains); ++i) {
                ideal_dcg += kernels::discounted_gain(ideal_gains_[i], request_.log2_ranks[i]);
            }
            at_k_[i_k].ideal_dcg[row] = ideal_dcg;
        }
    }

    // Adds up the documents found, in rank order, and then reads the sums at each k.
    void walk_ranks(std::size_t row) {
        std::fill(n_new_.begin(), n_new_.end(), 0u);
        std::size_t n_found = 0;
        double first_rank = never;
        for (std::size_t word = 0; word < found_.size(); ++word) {
            for (std::uint64_t bits = found_[word]; bits != 0; bits &= bits - 1) {
                const std::size_t i = word * join::word_bits + std::countr_zero(bits);
                const double rank = static_cast<double>(i + 1);
                first_rank = std::min(first_rank, rank);
                precision_sums_[n_found + 1] =
                    precision_sums_[n_found] +
                    kernels::precision_at_found(static_cast<double>(n_found + 1), rank);
                dcgs_[n_found + 1] = dcgs_[n_found] + discounted_gains_[i];
                ++n_new_[k_after_[i]];
                ++n_found;
            }
        }
        reciprocal_ranks_[row] = kernels::reciprocal_rank(first_rank);
        // If no cell is padding, k documents were returned.
        const bool is_full = depth_ <= join::word_bits && returned_[0] == join::first_bits(depth_);
        const bool divides_by_k = request_.divide_by_k || is_full;
        std::size_t found_at_k = 0;
        std::size_t returned_at_k = 0;
        std::size_t previous_k = 0;
        for (std::size_t i_k = 0; i_k < request_.ks.size(); ++i_k) {
            const std::size_t k = request_.ks[i_k];
            found_at_k += n_new_[i_k];
            returned_at_k = divides_by_k ? k : returned_at_k + count_bits(returned_, previous_k, k);
            previous_k = k;
            AtK& at_k = at_k_[i_k];
            at_k.n_found[row] = static_cast<double>(found_at_k);
            at_k.denominator[row] = static_cast<double>(returned_at_k);
            at_k.precision_sum[row] = precision_sums_[found_at_k];
            at_k.dcg[row] = dcgs_[found_at_k];
        }
    }

    template <class Out>
    void write_block(std::size_t start, std::size_t count, Out* out) {
        for (std::size_t i_k = 0; i_k < at_k_.size(); ++i_k) {
            const AtK& at_k = at_k_[i_k];
            for (std::size_t row = 0; row < count; ++row) {
                precisions_[row] = kernels::precision(at_k.n_found[row], at_k.denominator[row]);
                recalls_[row] = kernels::recall(at_k.n_found[row], n_relevant_of_[row]);
            }
            for (std::size_t i_metric = 0; i_metric < request_.metrics.size(); ++i_metric) {
                write_column(request_.metrics[i_metric], at_k, count,
                             out + (i_metric * at_k_.size() + i_k) * request_.n_rows + start);
            }
        }
    }

    template <class Out>
    void write_column(Metric metric, const AtK& at_k, std::size_t count, Out* out) const {
        const auto write = [&](auto value_of) {
            for (std::size_t row = 0; row < count; ++row) {
                out[row] = static_cast<Out>(value_of(row));
            }
        };
        switch (metric) {
            case Metric::recall:
                return write([&](std::size_t row) { return recalls_[row]; });
            case Metric::precision:
                return write([&](std::size_t row) { return precisions_[row]; });
            case Metric::f1:
                return write(
                    [&](std::size_t row) { return kernels::f1(precisions_[row], recalls_[row]); });
            case Metric::hit_rate:
                return write([&](std::size_t row) { return kernels::hit_rate(at_k.n_found[row]); });
            case Metric::mrr:
                return write([&](std::size_t row) {
                    return at_k.n_found[row] > 0.0 ? reciprocal_ranks_[row] : 0.0;
                });
            case Metric::ndcg:
                return write([&](std::size_t row) {
                    return kernels::ndcg(at_k.dcg[row], at_k.ideal_dcg[row]);
                });
            case Metric::average_precision:
                return write([&](std::size_t row) {
                    return kernels::average_precision(at_k.precision_sum[row], n_relevant_of_[row]);
                });
        }
    }

    const Request& request_;
    join::MatchRow match_row_;
    std::span<const double> ideals_;
    std::size_t depth_;
    std::size_t n_retrieved_;
    std::size_t n_relevant_;
    Arena arena_;
    std::span<std::uint64_t> returned_;
    std::span<std::uint64_t> found_;
    std::span<std::int32_t> places_;
    std::span<std::int32_t> slots_;
    std::span<double> precision_sums_;    // of the first 0, 1, 2, ... documents found
    std::span<double> dcgs_;              // likewise
    std::span<double> discounted_gains_;  // by rank, where a document was found
    std::span<double> ideal_gains_;
    std::span<std::uint32_t> k_after_;  // for each rank, the number of the first k that includes it
    std::span<std::uint32_t> n_new_;    // for each k, documents found since the previous k
    std::span<double> n_relevant_of_;
    std::span<double> reciprocal_ranks_;
    std::span<double> precisions_;
    std::span<double> recalls_;
    std::span<AtK> at_k_;
    join::Match match_;
};

// Starting a thread takes about 20 microseconds; this many comparisons take several times as long.
constexpr std::size_t comparisons_worth_a_thread = 2'000'000;

}  // namespace

template <class Out>
void score(const Request& request, std::size_t n_threads, bool portable, Out* out) {
    if (request.n_rows == 0) return;
    const std::size_t depth = request.ks.back();
    const std::size_t n_relevant = request.relevant.size() / request.n_rows;
    const join::Matcher matcher =
        join::pays_to_hash(n_relevant) ? join::hashed_matcher : join::choose_matcher(portable);
    const std::vector<double> ideals =
        binary_ideals(request.log2_ranks, std::min(depth, n_relevant));
    const std::size_t comparisons = request.n_rows * depth * (n_relevant + 1);
    const std::size_t n_blocks = (request.n_rows + block_rows - 1) / block_rows;
    n_threads = std::max<std::size_t>(
        1, std::min({n_threads, n_blocks, comparisons / comparisons_worth_a_thread}));
    std::vector<Worker> workers;
    workers.reserve(n_threads);
    for (std::size_t i = 0; i < n_threads; ++i) workers.emplace_back(request, matcher, ideals);
    share_out_rows(request.n_rows, n_threads,
                   [&](std::size_t thread, std::size_t first, std::size_t last) {
                       workers[thread].run(first, last, out);
                   });
}

template void score(const Request&, std::size_t, bool, float*);
template void score(const Request&, std::size_t, bool, double*);

}  // namespace berryeval::arrays
