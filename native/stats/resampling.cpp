#include "stats/resampling.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "stats/random.hpp"
#include "threads.hpp"

namespace berryeval::stats {
namespace {

// Values are stored in panels of this many columns, each query by query and padded with 0: a loop
// over a panel's row has a fixed length, and is vectorised. Sums keep the order of the queries.
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

// Adds up the rows of a panel, each with its sign.
void add_signed(const double* panel, std::span<const std::int32_t> signs,
                double (&sums)[panel_columns]) {
    double added[panel_columns] = {};
    for (std::size_t query = 0; query < signs.size(); ++query) {
        const double sign = signs[query];
        for (std::size_t column = 0; column < panel_columns; ++column) {
            added[column] += sign * panel[query * panel_columns + column];
        }
    }
    std::copy(std::begin(added), std::end(added), sums);
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

// Starting a thread takes about 20 microseconds; this many additions take several times as long.
constexpr std::size_t additions_worth_a_thread = 200'000;

std::size_t useful_threads(const Request& request, std::size_t n_threads) {
    const std::size_t additions =
        request.n_resamples * request.n_queries * (request.n_columns + panel_columns);
    return std::clamp<std::size_t>(additions / additions_worth_a_thread, 1,
                                   std::clamp<std::size_t>(n_threads, 1, request.n_resamples));
}

}  // namespace

void flipped_means(const Request& request, std::size_t n_threads, double* out) {
    if (request.n_resamples == 0) return;
    const Panels panels(request);
    const double n_queries = static_cast<double>(request.n_queries);
    n_threads = useful_threads(request, n_threads);
    std::vector<Arena> arenas(n_threads);  // all memory is allocated before the first thread starts
    std::vector<std::span<std::int32_t>> signs;
    signs.reserve(n_threads);
    for (Arena& arena : arenas) signs.push_back(arena.take<std::int32_t>(request.n_queries));
    share_out_rows(
        request.n_resamples, n_threads,
        [&](std::size_t thread, std::size_t first, std::size_t last) {
            for (std::size_t resample = first; resample < last; ++resample) {
                draw_signs(RandomWords(request.seed, request.first + resample), signs[thread]);
                double* const means = out + resample * request.n_columns;
                for (std::size_t panel = 0; panel < panels.size(); ++panel) {
                    double sums[panel_columns];
                    add_signed(panels[panel], signs[thread], sums);
                    const std::size_t column = panel * panel_columns;
                    const std::size_t count = std::min(panel_columns, request.n_columns - column);
                    for (std::size_t i = 0; i < count; ++i) means[column + i] = sums[i] / n_queries;
                }
            }
        });
}

}  // namespace berryeval::stats
