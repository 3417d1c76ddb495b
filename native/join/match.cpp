#include "join/match.hpp"

#include "join/blocks.hpp"
#include "join/match_row.hpp"
#include "processor.hpp"

namespace berryeval::join {

const Matcher baseline_matcher{match_row<BaselineBlock>, BaselineBlock::name};

Matcher choose_matcher([[maybe_unused]] bool portable) {
#ifdef BERRYEVAL_HAS_AVX2
    if (!portable && processor_has_avx2()) return avx2_matcher;
#endif
    return baseline_matcher;
}

}  // namespace berryeval::join
