#include "stats/resampling.hpp"

#include <algorithm>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "stats/random.hpp"
#include "threads.hpp"

namespace berryeval::stats {
namespace {

// The values in panels of this many columns, each panel query by query, padded with 0: a loop
// over a panel's row has a known length, and becomes vector instructions. What is summed stays
// in the order of the queries.
constexpr std::size_t panel_columns = 4;

class Panels {
public:
    explicit Panels(const Request& request)
        : n_queries_(request.n_queries),
          n_panels_((request.n_columns + panel_columns - 1) / panel_columns),
          values_(n_panels_ * n_queries_ * panel_columns) {
        for (std::size_t query = 0; query < n_queries_; ++query) {
            for (std::size_t column = 0; column < request.n_columns; ++column) {
                const std::size_t row = column / panel_columns * n_queries_ + query;
                values_[row * panel_columns + column % panel_columns] =
                    request.values[query * request.n_columns + column];
            }
        }
    }

    std::size_t size() const { return n_panels_; }
    const double* operator[](std::size_t panel) const {
        return values_.data() + panel * n_queries_ * panel_columns;
    }

private:
    std::size_t n_queries_;
    std::size_t n_panels_;
    std::vector<double> values_;
};

// Adds up the rows of a panel, each as often as its weight says.
void add_weighted(const double* panel, std::span<const std::int32_t> weights,
                  double (&sums)[panel_columns]) {
    double added[panel_columns] = {};
    for (std::size_t query = 0; query < weights.size(); ++query) {
        const double weight = weights[query];
        for (std::size_t column = 0; column < panel_columns; ++column) {
            added[column] += weight * panel[query * panel_columns + column];
        }
    }
    std::copy(std::begin(added), std::end(added), sums);
}

// How often each query is drawn when as many are drawn as there are.
void draw_counts(const RandomWords& words, std::span<std::int32_t> counts) {
    std::fill(counts.begin(), counts.end(), 0);
    const std::size_t n = counts.size();
    for (std::size_t j = 0; j < n / 2; ++j) {
        const std::uint64_t word = words[j];
        ++counts[below(n, low_half(word))];
        ++counts[below(n, high_half(word))];
    }
    if (n % 2 == 1) ++counts[below(n, low_half(words[n / 2]))];
}

// 1 or -1 for each query, by one bit.
void draw_signs(const RandomWords& words, std::span<std::int32_t> signs) {
    constexpr std::size_t word_bits = 64;
    for (std::size_t start = 0; start < signs.size(); start += word_bits) {
        const std::uint64_t word = words[start / word_bits];
        const std::size_t count = std::min(word_bits, signs.size() - start);
        for (std::size_t bit = 0; bit < count; ++bit) {
            signs[start + bit] = 1 - 2 * static_cast<std::int32_t>(word >> bit & 1);
        }
    }
}

// A thread costs some 20 microseconds to start; this many additions take several times that.
constexpr std::size_t additions_worth_a_thread = 200'000;

std::size_t useful_threads(const Request& request, std::size_t n_threads) {
    const std::size_t additions =
        request.n_resamples * request.n_queries * (request.n_columns + panel_columns);
    return std::clamp<std::size_t>(additions / additions_worth_a_thread, 1,
                                   std::clamp<std::size_t>(n_threads, 1, request.n_resamples));
}

// Memory for each thread, all of it taken before the first one starts.
template <class T>
std::vector<std::span<T>> take_for_each(std::size_t n_threads, std::size_t count,
                                        std::deque<Arena>& arenas) {
    std::vector<std::span<T>> taken;
    for (std::size_t thread = 0; thread < n_threads; ++thread) {
        taken.push_back(arenas.emplace_back().take<T>(count));
    }
    return taken;
}

template <class Draw>
void weighted_means(const Request& request, std::size_t n_threads, double* out, Draw draw) {
    if (request.n_resamples == 0) return;
    const Panels panels(request);
    const double n_queries = static_cast<double>(request.n_queries);
    n_threads = useful_threads(request, n_threads);
    std::deque<Arena> arenas;
    const auto weights = take_for_each<std::int32_t>(n_threads, request.n_queries, arenas);
    share_out_rows(request.n_resamples, n_threads,
                   [&](std::size_t thread, std::size_t first, std::size_t last) {
        for (std::size_t resample = first; resample < last; ++resample) {
            draw(RandomWords(request.seed, request.first + resample), weights[thread]);
            double* const means = out + resample * request.n_columns;
            for (std::size_t panel = 0; panel < panels.size(); ++panel) {
                double sums[panel_columns];
                add_weighted(panels[panel], weights[thread], sums);
                const std::size_t column = panel * panel_columns;
                const std::size_t count = std::min(panel_columns, request.n_columns - column);
                for (std::size_t i = 0; i < count; ++i) means[column + i] = sums[i] / n_queries;
            }
        }
    });
}

// The largest mean minus the smallest when each query's values are shuffled (Fisher and Yates).
double shuffled_range(const Request& request, const RandomWords& words, std::span<double> row,
                      std::span<double> sums) {
    std::fill(sums.begin(), sums.end(), 0.0);
    HalvesInTurn halves(words);
    for (std::size_t query = 0; query < request.n_queries; ++query) {
        const double* const values = request.values + query * request.n_columns;
        std::copy(values, values + request.n_columns, row.begin());
        for (std::size_t last = request.n_columns - 1; last > 0; --last) {
            std::swap(row[last], row[below(last + 1, halves.next())]);
        }
        for (std::size_t column = 0; column < sums.size(); ++column) sums[column] += row[column];
    }
    const auto [smallest, largest] = std::minmax_element(sums.begin(), sums.end());
    const double n_queries = static_cast<double>(request.n_queries);
    return *largest / n_queries - *smallest / n_queries;
}

}  // namespace

void resampled_means(const Request& request, std::size_t n_threads, double* out) {
    weighted_means(request, n_threads, out, draw_counts);
}

void flipped_means(const Request& request, std::size_t n_threads, double* out) {
    weighted_means(request, n_threads, out, draw_signs);
}

void permuted_ranges(const Request& request, std::size_t n_threads, double* out) {
    if (request.n_resamples == 0) return;
    n_threads = useful_threads(request, n_threads);
    std::deque<Arena> arenas;
    const auto rows = take_for_each<double>(n_threads, request.n_columns, arenas);
    const auto sums = take_for_each<double>(n_threads, request.n_columns, arenas);
    share_out_rows(request.n_resamples, n_threads,
                   [&](std::size_t thread, std::size_t first, std::size_t last) {
        for (std::size_t resample = first; resample < last; ++resample) {
            const RandomWords words(request.seed, request.first + resample);
            out[resample] = shuffled_range(request, words, rows[thread], sums[thread]);
        }
    });
}

}  // namespace berryeval::stats
