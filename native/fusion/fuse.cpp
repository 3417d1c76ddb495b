#include "fusion/fuse.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "columns/grouping.hpp"
#include "columns/hash.hpp"
#include "threads.hpp"

namespace berryeval::fusion {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();

// Dividing by infinity would hide that a scale overflowed.
double finite_or_nan(double scale) { return std::isfinite(scale) ? scale : nan; }

// Facts about one document of one query. They are separate from the ids and the sums, which are
// enough for most methods, so that less memory is accessed.
struct Presence {
    double weights = 0.0;              // of the runs with it
    std::uint32_t n = 0;               // runs with it
    std::uint32_t last_run = nowhere;  // the last run that contains it
};

struct Ranked {
    double score;
    std::uint32_t candidate;
    std::uint32_t key;  // sorts as scores do, as far as 20 bits of their fractions tell them apart
};

// The upper half of a score's bits, so that higher scores have lower keys. Both zeros have the
// same.
std::uint32_t key_of(double score) {
    const auto bits = static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(score + 0.0) >> 32);
    constexpr std::uint32_t sign = std::uint32_t{1} << 31;
    return bits & sign ? bits : ~(bits | sign);
}

// Sorts by key; equal ones stay in any order. Byte by byte: comparisons would surprise the
// processor with every second branch.
void sort_by_key(std::vector<Ranked>& ranked, std::vector<Ranked>& other) {
    constexpr std::size_t n_bytes = sizeof(std::uint32_t), n_values = 256;
    std::array<std::array<std::uint32_t, n_values>, n_bytes> counts{};
    for (const Ranked& one : ranked) {
        for (std::size_t byte = 0; byte < n_bytes; ++byte) {
            ++counts[byte][one.key >> 8 * byte & 255];
        }
    }
    other.resize(ranked.size());
    for (std::size_t byte = 0; byte < n_bytes; ++byte) {
        std::array<std::uint32_t, n_values>& places = counts[byte];
        if (places[ranked[0].key >> 8 * byte & 255] == ranked.size()) continue;
        std::uint32_t next = 0;
        for (std::uint32_t& place : places) next += std::exchange(place, next);
        for (const Ranked& one : ranked) other[places[one.key >> 8 * byte & 255]++] = one;
        std::swap(ranked, other);
    }
}

// Fuses one query after the other, and reuses its memory.
class Fuser {
public:
    explicit Fuser(const Request& request) : request_(request), recipe_(request.recipe) {
        seed_ = columns::process_seed();
        order_.resize(request.runs.size());
        candidate_of_.resize(request.runs.size());
    }

    // The number of the run whose scores cannot be normalised; none on success.
    std::optional<std::size_t> add_query(std::size_t query, Fused& out) {
        find_candidates(query);
        if (recipe_.combination == Combination::condorcet) {
            sort_by_majority();
        } else {
            for (std::size_t run = 0; run < request_.runs.size(); ++run) {
                if (order_[run].empty()) continue;
                if (!add_run(run)) return run;
            }
            if (!rank_candidates()) return request_.runs.size();
        }
        write(out);
        return std::nullopt;
    }

private:
    bool uses_scores() const {
        return recipe_.values == Values::scores || recipe_.values == Values::boosted;
    }
    bool counts_absent() const {
        return recipe_.norm == Norm::borda && recipe_.values == Values::scores;
    }
    // Whether ranks, or sums in the order of ranks, matter.
    bool needs_order() const {
        if (recipe_.combination == Combination::condorcet) return true;
        if (recipe_.values != Values::scores) return true;
        return recipe_.norm == Norm::sum || recipe_.norm == Norm::zmuv ||
               recipe_.norm == Norm::rank || recipe_.norm == Norm::borda;
    }

    // Whether only the values of the runs that have a document count.
    bool is_plain_sum() const {
        return recipe_.combination == Combination::sum && recipe_.values != Values::borda &&
               recipe_.absent == 0.0 && !counts_absent();
    }

    void find_candidates(std::size_t query) {
        const std::size_t n_runs = request_.runs.size();
        std::size_t n_rows = 0;
        for (std::size_t run = 0; run < n_runs; ++run) {
            order_rows(run, request_.places[query * n_runs + run]);
            n_rows += order_[run].size();
        }
        if (n_rows >= nowhere / 4) throw std::length_error("too many documents of one query");
        const std::size_t size = std::bit_ceil(2 * n_rows + 1);
        table_.assign(size, 0);
        ids_.clear();
        for (std::size_t run = 0; run < n_runs; ++run) {
            candidate_of_[run].resize(order_[run].size());
            for (std::size_t place = 0; place < order_[run].size(); ++place) {
                const std::string_view id = request_.runs[run].doc_id(order_[run][place]);
                candidate_of_[run][place] = find_or_add(id, size - 1);
            }
        }
        totals_.assign(ids_.size(), 0.0);
        if (!is_plain_sum()) presence_.assign(ids_.size(), {});
    }

    // Sorts the rows of a run by rank.
    void order_rows(std::size_t run, std::int64_t place) {
        std::vector<std::uint64_t>& order = order_[run];
        order.clear();
        if (place < 0) return;
        const Run& rows = request_.runs[run];
        const std::uint64_t first = rows.starts[static_cast<std::size_t>(place)];
        const std::uint64_t end = rows.starts[static_cast<std::size_t>(place) + 1];
        for (std::uint64_t row = first; row < end; ++row) order.push_back(row);
        if (!needs_order()) return;
        const double sign = recipe_.norm == Norm::min_max_inverted ? -1.0 : 1.0;
        const auto stands_above = [&](std::uint64_t a, std::uint64_t b) {
            const double one = sign * rows.values[a], other = sign * rows.values[b];
            return one > other || (one == other && rows.doc_id(a) > rows.doc_id(b));
        };
        if (!std::is_sorted(order.begin(), order.end(), stands_above)) {
            std::sort(order.begin(), order.end(), stands_above);
        }
    }

    std::uint32_t find_or_add(std::string_view id, std::size_t mask) {
        constexpr std::uint64_t low_half = 0xffffffffu;
        const std::uint64_t hash = columns::hash_id(id, seed_);
        std::size_t slot = hash & mask;
        for (; table_[slot] != 0; slot = (slot + 1) & mask) {
            if ((table_[slot] ^ hash) >> 32 != 0) continue;
            const auto found = static_cast<std::uint32_t>((table_[slot] & low_half) - 1);
            if (columns::are_same(ids_[found], id)) return found;
        }
        const auto number = static_cast<std::uint32_t>(ids_.size());
        table_[slot] = (hash & ~low_half) | (number + 1);
        ids_.push_back(id);
        return number;
    }

    bool add_run(std::size_t run) {
        const std::vector<std::uint64_t>& order = order_[run];
        const std::size_t n = order.size();
        if (uses_scores()) {
            scores_.resize(n);
            for (std::size_t place = 0; place < n; ++place) {
                scores_[place] = request_.runs[run].values[order[place]];
            }
            normalise();
            if (!std::all_of(scores_.begin(), scores_.end(),
                             [](double score) { return std::isfinite(score); })) {
                return false;
            }
        }
        const double weight = recipe_.weights[run];
        const std::vector<std::uint32_t>& candidates = candidate_of_[run];
        if (is_plain_sum()) {
            for (std::size_t place = 0; place < n; ++place) {
                totals_[candidates[place]] += weight * value_at(run, place, n);
            }
            return true;
        }
        for (std::size_t place = 0; place < n; ++place) {
            presence_[candidates[place]].last_run = static_cast<std::uint32_t>(run);
            add_value(candidates[place], value_at(run, place, n), weight);
        }
        add_absent(static_cast<std::uint32_t>(run), n, weight);
        return true;
    }

    void add_absent(std::uint32_t run, std::size_t n, double weight) {
        const double n_candidates = static_cast<double>(ids_.size());
        const double n_documents = static_cast<double>(n);
        double value = recipe_.absent;
        if (recipe_.values == Values::borda) {
            value = (n_candidates - n_documents + 1.0) / 2.0;
        } else if (counts_absent()) {
            value = 0.5 - (n_documents - 1.0) / (2.0 * n_candidates);
        } else if (value == 0.0) {
            return;
        }
        for (std::uint32_t number = 0; number < ids_.size(); ++number) {
            if (presence_[number].last_run == run) continue;
            if (counts_absent()) {
                add_value(number, value, weight);
            } else {
                totals_[number] += weight * value;
            }
        }
    }

    void add_value(std::uint32_t number, double value, double weight) {
        Presence& presence = presence_[number];
        double& total = totals_[number];
        switch (recipe_.combination) {
            case Combination::max:
                if (presence.n == 0 || value > total) total = value;
                break;
            case Combination::min:
                if (presence.n == 0 || value < total) total = value;
                break;
            case Combination::median: {
                const std::size_t n_runs = request_.runs.size();
                if (given_.size() < ids_.size() * n_runs) {
                    given_.resize(ids_.size() * n_runs);
                }
                given_[number * n_runs + presence.n] = value;
                break;
            }
            case Combination::weights:
                total += value;
                presence.weights += weight;
                break;
            default:
                total += weight * value;
        }
        ++presence.n;
    }

    double value_at(std::size_t run, std::size_t place, std::size_t n) const {
        if (recipe_.values == Values::scores) return scores_[place];
        if (recipe_.values == Values::borda) return static_cast<double>(ids_.size() - place);
        const std::span<const double> table = recipe_.tables[run];
        if (recipe_.values == Values::table) return table[place];
        if (recipe_.values == Values::boosted) return table[place] * (scores_[place] + 1.0);
        if (recipe_.values == Values::segments) {
            const std::size_t size = (n + table.size() - 1) / table.size();
            return table[place / size];
        }
        const std::size_t first = place > recipe_.window ? place - recipe_.window : 0;
        const std::size_t last = std::min(place + recipe_.window, n - 1);
        double total = 0.0;
        for (std::size_t i = first; i <= last; ++i) total += table[i];
        return total / static_cast<double>(last - first + 1);
    }

    // The twin of berryeval.fusion.normalising.normalise; scores_ has at least one.
    void normalise() {
        const std::size_t n = scores_.size();
        if (recipe_.norm == Norm::none) return;
        if (recipe_.norm == Norm::rank || recipe_.norm == Norm::borda) {
            const std::size_t of = recipe_.norm == Norm::rank ? n : ids_.size();
            for (std::size_t place = 0; place < n; ++place) {
                scores_[place] = 1.0 - static_cast<double>(place) / static_cast<double>(of);
            }
            return;
        }
        double low = scores_[0], high = scores_[0];
        bool are_finite = true;
        for (const double score : scores_) {
            if (score < low) low = score;
            if (score > high) high = score;
            are_finite = are_finite && std::isfinite(score);
        }
        if (!are_finite) {
            std::fill(scores_.begin(), scores_.end(), nan);
            return;
        }
        switch (recipe_.norm) {
            case Norm::min_max:
            case Norm::min_max_inverted: {
                const double span = finite_or_nan(high - low);
                for (double& score : scores_) {
                    if (high <= low) {
                        score = 1.0;
                    } else {
                        score = recipe_.norm == Norm::min_max ? (score - low) / span
                                                              : (high - score) / span;
                    }
                }
                return;
            }
            case Norm::max:
                for (double& score : scores_) score = high > 0.0 ? score / high : nan;
                return;
            case Norm::sum: {
                double total = 0.0;
                for (const double score : scores_) total += score - low;
                if (total <= 0.0) {
                    std::fill(scores_.begin(), scores_.end(), 1.0 / static_cast<double>(n));
                    return;
                }
                for (double& score : scores_) score = (score - low) / finite_or_nan(total);
                return;
            }
            default:
                standardise(low == high);
        }
    }

    void standardise(bool are_equal) {
        if (are_equal) {
            std::fill(scores_.begin(), scores_.end(), 0.0);
            return;
        }
        const double n = static_cast<double>(scores_.size());
        double total = 0.0;
        for (const double score : scores_) total += score;
        const double mean = total / n;
        double squares = 0.0;
        for (const double score : scores_) squares += (score - mean) * (score - mean);
        const double deviation = finite_or_nan(std::sqrt(squares / n));
        for (double& score : scores_) score = deviation > 0.0 ? (score - mean) / deviation : nan;
    }

    double fused_score(std::uint32_t number) {
        const double total = totals_[number];
        if (recipe_.combination == Combination::sum) return total;
        const Presence& presence = presence_[number];
        switch (recipe_.combination) {
            case Combination::mean:
                return total / static_cast<double>(presence.n);
            case Combination::factor:
                return total * recipe_.factors[presence.n - 1];
            case Combination::weights:
                return total * presence.weights;
            case Combination::median: {
                double* const first = given_.data() + number * request_.runs.size();
                std::stable_sort(first, first + presence.n);
                const std::size_t middle = presence.n / 2;
                if (presence.n % 2 == 1) return first[middle];
                return (first[middle - 1] + first[middle]) / 2.0;
            }
            default:
                return total;
        }
    }

    bool rank_candidates() {
        ranked_.clear();
        for (std::uint32_t number = 0; number < ids_.size(); ++number) {
            const double score = fused_score(number);
            if (std::isnan(score)) return false;
            ranked_.push_back({score, number, key_of(score)});
        }
        const auto stands_above = [this](const Ranked& a, const Ranked& b) {
            if (a.score != b.score) return a.score > b.score;
            return ids_[a.candidate] > ids_[b.candidate];
        };
        if (request_.depth < ranked_.size() / 4) {
            const auto middle = ranked_.begin() + static_cast<std::ptrdiff_t>(request_.depth);
            std::partial_sort(ranked_.begin(), middle, ranked_.end(), stands_above);
        } else if (ranked_.size() < 128) {
            std::sort(ranked_.begin(), ranked_.end(), stands_above);
        } else {
            sort_by_key(ranked_, other_);
            for (auto first = ranked_.begin(); first != ranked_.end();) {
                const auto end = std::find_if(first + 1, ranked_.end(), [&](const Ranked& one) {
                    return one.key != first->key;
                });
                if (end - first > 1) std::sort(first, end, stands_above);
                first = end;
            }
        }
        return true;
    }

    // The twin of berryeval.fusion.condorcet.sort_by_majority.
    void sort_by_majority() {
        const std::size_t n_runs = request_.runs.size(), n = ids_.size();
        ranks_.assign(n * n_runs, 0);
        for (std::size_t run = 0; run < n_runs; ++run) {
            const auto below = static_cast<std::uint32_t>(order_[run].size());
            for (std::size_t i = 0; i < n; ++i) ranks_[i * n_runs + run] = below;
            for (std::size_t place = 0; place < order_[run].size(); ++place) {
                ranks_[candidate_of_[run][place] * n_runs + run] =
                    static_cast<std::uint32_t>(place);
            }
        }
        std::vector<std::uint32_t> order(n), merged;
        for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<std::uint32_t>(i);
        std::sort(order.begin(), order.end(),
                  [this](std::uint32_t a, std::uint32_t b) { return ids_[a] > ids_[b]; });
        for (std::size_t width = 1; width < n; width *= 2) {
            merged.clear();
            for (std::size_t first = 0; first < n; first += 2 * width) {
                const std::size_t middle = std::min(n, first + width);
                const std::size_t end = std::min(n, first + 2 * width);
                std::size_t i = first, j = middle;
                while (i < middle && j < end) {
                    merged.push_back(beats(order[j], order[i]) ? order[j++] : order[i++]);
                }
                while (i < middle) merged.push_back(order[i++]);
                while (j < end) merged.push_back(order[j++]);
            }
            std::swap(order, merged);
        }
        ranked_.clear();
        for (std::size_t place = 0; place < n; ++place) {
            ranked_.push_back({static_cast<double>(n - place), order[place], 0});
        }
    }

    bool beats(std::uint32_t one, std::uint32_t other) const {
        const std::size_t n_runs = request_.runs.size();
        double above = 0.0, below = 0.0;
        for (std::size_t run = 0; run < n_runs; ++run) {
            const std::uint32_t a = ranks_[one * n_runs + run], b = ranks_[other * n_runs + run];
            if (a < b) {
                above += recipe_.weights[run];
            } else if (a > b) {
                below += recipe_.weights[run];
            }
        }
        return above > below;
    }

    void write(Fused& out) {
        const std::size_t n = std::min(request_.depth, ranked_.size());
        for (std::size_t place = 0; place < n; ++place) {
            const std::string_view id = ids_[ranked_[place].candidate];
            columns::copy_id(out.doc_data.extend(id.size()), id);
            out.doc_offsets.push_back(out.doc_data.size());
            out.values.push_back(ranked_[place].score + 0.0);  // no negative zero
        }
        out.starts.push_back(out.values.size());
    }

    const Request& request_;
    const Recipe& recipe_;
    columns::Seed seed_;
    std::vector<std::vector<std::uint64_t>> order_;         // rows by rank, per run
    std::vector<std::vector<std::uint32_t>> candidate_of_;  // by rank, per run
    std::vector<std::uint64_t> table_;   // half a hash, and a candidate's number plus 1; 0 is free
    std::vector<std::string_view> ids_;  // of the candidates
    std::vector<double> totals_;         // or the highest or lowest, if requested
    std::vector<Presence> presence_;
    std::vector<double> scores_;        // of one run
    std::vector<double> given_;         // all values of each candidate, for medians
    std::vector<std::uint32_t> ranks_;  // per candidate and run
    std::vector<Ranked> ranked_, other_;
};

// The number of rows of a query in all runs together.
struct Amount {
    std::size_t n_rows = 0, n_bytes = 0;
};

Amount amount_of(const Request& request, std::size_t query) {
    const std::size_t n_runs = request.runs.size();
    Amount found;
    for (std::size_t run = 0; run < n_runs; ++run) {
        const std::int64_t place = request.places[query * n_runs + run];
        if (place < 0) continue;
        const Run& rows = request.runs[run];
        const std::uint64_t first = rows.starts[static_cast<std::size_t>(place)];
        const std::uint64_t end = rows.starts[static_cast<std::size_t>(place) + 1];
        found.n_rows += end - first;
        found.n_bytes += rows.doc_offsets[end] - rows.doc_offsets[first];
    }
    return found;
}

// Reserves room for the queries from `first` to `last`. Unused memory costs nothing, while moving
// growing columns does.
void reserve(Fused& out, const Request& request, std::size_t first, std::size_t last) {
    if (request.depth != std::numeric_limits<std::size_t>::max()) return;
    Amount all;
    for (std::size_t query = first; query < last; ++query) {
        const Amount one = amount_of(request, query);
        all.n_rows += one.n_rows;
        all.n_bytes += one.n_bytes;
    }
    out.starts.reserve(last - first + 1);
    out.doc_data.reserve(all.n_bytes);
    out.doc_offsets.reserve(all.n_rows + 1);
    out.values.reserve(all.n_rows);
}

// The first query of each part, so that parts have about equally many rows; and the end.
std::vector<std::size_t> cut_into_parts(const Request& request, std::size_t n_parts) {
    std::vector<std::size_t> rows_before{0};
    for (std::size_t query = 0; query < request.n_queries(); ++query) {
        rows_before.push_back(rows_before.back() + amount_of(request, query).n_rows);
    }
    std::vector<std::size_t> cuts{0};
    for (std::size_t part = 1; part < n_parts; ++part) {
        const std::size_t wanted = rows_before.back() / n_parts * part;
        const auto found = std::lower_bound(rows_before.begin(), rows_before.end() - 1, wanted);
        cuts.push_back(static_cast<std::size_t>(found - rows_before.begin()));
    }
    cuts.push_back(request.n_queries());
    return cuts;
}

void append(Fused& to, const Fused& from) {
    const std::uint64_t n_rows = to.values.size(), n_bytes = to.doc_data.size();
    const std::size_t n_queries = from.starts.size(), n_new = from.values.size();
    std::uint64_t* const starts = to.starts.extend(n_queries);
    for (std::size_t i = 0; i < n_queries; ++i) starts[i] = n_rows + from.starts[i];
    std::uint64_t* const offsets = to.doc_offsets.extend(n_new);
    for (std::size_t i = 0; i < n_new; ++i) offsets[i] = n_bytes + from.doc_offsets[i];
    std::copy_n(from.doc_data.data(), from.doc_data.size(),
                to.doc_data.extend(from.doc_data.size()));
    std::copy_n(from.values.data(), n_new, to.values.extend(n_new));
}

}  // namespace

Fused fuse(const Request& request, std::size_t n_threads) {
    const std::size_t n_parts =
        std::clamp<std::size_t>(request.n_queries(), 1, std::max<std::size_t>(n_threads, 1));
    const std::vector<std::size_t> cuts = cut_into_parts(request, n_parts);
    std::vector<Fused> parts(n_parts);
    std::mutex mutex;
    std::exception_ptr error;
    share_out_rows(n_parts, n_parts, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t part = first; part < last; ++part) {
            try {
                // The other parts are appended to the first.
                reserve(parts[part], request, cuts[part],
                        part == 0 ? request.n_queries() : cuts[part + 1]);
                if (part == 0) {
                    parts[0].starts.push_back(0);
                    parts[0].doc_offsets.push_back(0);
                }
                Fuser fuser(request);
                for (std::size_t query = cuts[part]; query < cuts[part + 1]; ++query) {
                    const auto run = fuser.add_query(query, parts[part]);
                    if (run) {
                        parts[part].wrong = {query, *run};
                        break;
                    }
                }
            } catch (const std::exception&) {  // out of memory
                const std::lock_guard lock(mutex);
                error = std::current_exception();
            }
        }
    });
    if (error) std::rethrow_exception(error);
    Fused& all = parts[0];
    for (std::size_t part = 1; part < n_parts && !all.wrong; ++part) {
        all.wrong = parts[part].wrong;
        append(all, parts[part]);
        parts[part] = Fused{};
    }
    return std::move(all);
}

}  // namespace berryeval::fusion
