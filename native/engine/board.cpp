#include "engine/board.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace berryeval::engine {
namespace {

// The number of grades that are kept in total.
std::size_t n_kept(std::size_t n_pools, std::size_t n_grades) {
    constexpr std::size_t most = std::numeric_limits<std::ptrdiff_t>::max() / sizeof(double);
    if (n_pools > 0 && n_grades > most / n_pools) {
        throw std::length_error("too many grades to keep");
    }
    return n_pools * n_grades;
}

}  // namespace

Board::Board(const Pools& pools, const kernels::Plan& plan, const Cut& cut, std::size_t n_grades,
             const Intents* intents, const Strata* strata, const Lengths* lengths)
    : pools_(pools),
      plan_(plan),
      cut_(cut),
      intents_(intents),
      strata_(strata),
      lengths_(lengths),
      values_(pools.size() * plan.size()),
      n_grades_(n_grades),
      first_grades_(n_kept(pools.size(), n_grades), std::numeric_limits<double>::quiet_NaN()),
      taken_(pools.size()) {}

bool Board::take(std::string_view query_id, std::optional<std::size_t> number) {
    if (number) return !taken_[*number].exchange(true);
    const std::lock_guard lock(mutex_);
    return ignored_.emplace(query_id).second;
}

void Board::score(std::size_t number, const kernels::Ranking& found, kernels::Scratch& scratch) {
    kernels::Ranking ranking = found;
    if (intents_ != nullptr) ranking.intents = intents_->of(number);
    if (strata_ != nullptr) ranking.strata = strata_->of(number);
    plan_.score(ranking, scratch, {values_.data() + number * plan_.size(), plan_.size()});
    double* const first = first_grades_.data() + number * n_grades_;
    std::fill_n(first, std::min(n_grades_, ranking.n_retrieved), kernels::not_in_pool);
    for (const kernels::Hit& hit : ranking.hits) {
        if (hit.rank > n_grades_) break;
        first[hit.rank - 1] = hit.grade;
    }
}

void Board::finish() {
    kernels::Scratch scratch;
    for (std::size_t number = 0; number < pools_.size(); ++number) {
        if (!taken_[number]) score(number, {0, {}, pools_[number].judged()}, scratch);
    }
}

std::vector<double> Board::by_measure() const {
    std::vector<double> turned(values_.size());
    for (std::size_t query = 0; query < pools_.size(); ++query) {
        for (std::size_t measure = 0; measure < plan_.size(); ++measure) {
            turned[measure * pools_.size() + query] = values_[query * plan_.size() + measure];
        }
    }
    return turned;
}

std::vector<std::string> Board::first_ignored(std::size_t count) const {
    std::vector<std::string> first(std::min(count, ignored_.size()));
    std::partial_sort_copy(ignored_.begin(), ignored_.end(), first.begin(), first.end());
    return first;
}

bool Scorer::end() {
    if (!board_.take(query_id_, number_)) return false;
    if (duplicates_ && ranker_.refuses_duplicates(*duplicates_)) return false;
    if (number_) board_.score(*number_, ranker_.ranking(board_.cut()), scratch_);
    return true;
}

}  // namespace berryeval::engine
