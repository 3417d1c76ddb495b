#include "stats/resampling.hpp"

#include <algorithm>
#include <bit>
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

// An addition waits for the one before it, several cycles each. So many resamples are added up at
// once, whose sums do not wait for one another.
constexpr std::size_t at_once = 4;

using Sums = double[at_once][panel_columns];

// Adds up the rows of a panel, with the signs of each resample: those of a query are adjacent.
void add_signed(const double* panel, std::span<const double> signs, Sums& sums) {
    Sums added = {};
    for (std::size_t query = 0; query < signs.size() / at_once; ++query) {
        for (std::size_t resample = 0; resample < at_once; ++resample) {
            const double sign = signs[query * at_once + resample];
            for (std::size_t column = 0; column < panel_columns; ++column) {
                added[resample][column] += sign * panel[query * panel_columns + column];
            }
        }
    }
    std::copy(&added[0][0], &added[0][0] + at_once * panel_columns, &sums[0][0]);
}

// 1 or -1 for each query in each resample from the first, by one bit.
void draw_signs(std::uint64_t seed, std::uint64_t first, std::span<double> signs) {
    constexpr std::size_t word_bits = 64;
    const std::size_t n_queries = signs.size() / at_once;
    for (std::size_t start = 0; start < n_queries; start += word_bits) {
        std::uint64_t words[at_once];
        for (std::size_t resample = 0; resample < at_once; ++resample) {
            words[resample] = RandomWords(seed, first + resample)[start / word_bits];
        }
        const std::size_t count = std::min(word_bits, n_queries - start);
        for (std::size_t bit = 0; bit < count; ++bit) {
            for (std::size_t resample = 0; resample < at_once; ++resample) {
                const std::uint64_t sign_bit = words[resample] >> bit << (word_bits - 1);
                signs[(start + bit) * at_once + resample] =
                    std::bit_cast<double>(std::bit_cast<std::uint64_t>(1.0) | sign_bit);
            }
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
    std::vector<Arena> arenas(n_threads);  // all memory is taken before the first thread starts
    std::vector<std::span<double>> signs;
    signs.reserve(n_threads);
    for (Arena& arena : arenas) signs.push_back(arena.take<double>(at_once * request.n_queries));
    share_out_rows(
        request.n_resamples, n_threads,
        [&](std::size_t thread, std::size_t first, std::size_t last) {
            for (std::size_t start = first; start < last; start += at_once) {
                draw_signs(request.seed, request.first + start, signs[thread]);
                const std::size_t n_wanted = std::min(at_once, last - start);
                for (std::size_t panel = 0; panel < panels.size(); ++panel) {
                    Sums sums;
                    add_signed(panels[panel], signs[thread], sums);
                    const std::size_t column = panel * panel_columns;
                    const std::size_t count = std::min(panel_columns, request.n_columns - column);
                    for (std::size_t resample = 0; resample < n_wanted; ++resample) {
                        double* const means = out + (start + resample) * request.n_columns + column;
                        for (std::size_t i = 0; i < count; ++i) {
                            means[i] = sums[resample][i] / n_queries;
                        }
                    }
                }
            }
        });
}

}  // namespace berryeval::stats
