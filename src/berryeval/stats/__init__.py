"""Statistics of paired scores: intervals, tests, corrections, effect sizes, risk, power, agreement.

`mean_of` is the centre: a mean of one number per query, with or without groups, weights and strata,
from which tests, bounds and intervals follow. Functions take plain numbers: one per query, or one
per query and column. They never return NaN: a value that is not defined is None. Those that draw at
random take a seed, which gives the same bits everywhere.
"""

from berryeval.stats.admission import (
    Admission,
    AdmissionRule,
    CheckedPairs,
    check_judge,
    pairs_needed,
)
from berryeval.stats.agreement import Coefficient, krippendorff_alpha, weighted_kappa
from berryeval.stats.agreement_intervals import alpha_interval, alphas_without, kappa_interval
from berryeval.stats.corrections import CorrectionName, adjust
from berryeval.stats.decline import Decline, alarm_level, find_decline
from berryeval.stats.effect_sizes import cohens_dz, rank_biserial
from berryeval.stats.interval import Interval
from berryeval.stats.label_allocation import allocate_labels
from berryeval.stats.order_intervals import order_intervals
from berryeval.stats.pair_correction import CorrectedScores, correct_scores
from berryeval.stats.paired_tests import (
    Alternative,
    TestName,
    TestResult,
    paired_t,
    paired_test,
    randomisation,
    sign,
    wilcoxon,
)
from berryeval.stats.power import (
    power_at,
    queries_needed,
    sd_interval,
    sd_of_differences,
    smallest_drop,
)
from berryeval.stats.prediction_powered import PoweredMean, powered_mean
from berryeval.stats.risk import geo_risk, robustness_index, t_risk, u_risk, weigh_losses
from berryeval.stats.sample_mean import SampleMean, difference_of_means, mean_of
from berryeval.stats.similarity import (
    kendall_tau,
    overlap_bounds,
    rank_biased_overlap,
    tau_ap,
)
from berryeval.stats.simultaneous import FamilyMember, simultaneous_intervals
from berryeval.stats.spending import level_at_look, level_at_try, look_levels

__all__ = [
    "Admission",
    "AdmissionRule",
    "Alternative",
    "CheckedPairs",
    "Coefficient",
    "CorrectedScores",
    "CorrectionName",
    "Decline",
    "FamilyMember",
    "Interval",
    "PoweredMean",
    "SampleMean",
    "TestName",
    "TestResult",
    "adjust",
    "alarm_level",
    "allocate_labels",
    "alpha_interval",
    "alphas_without",
    "check_judge",
    "cohens_dz",
    "correct_scores",
    "difference_of_means",
    "find_decline",
    "geo_risk",
    "kappa_interval",
    "kendall_tau",
    "krippendorff_alpha",
    "level_at_look",
    "level_at_try",
    "look_levels",
    "mean_of",
    "order_intervals",
    "overlap_bounds",
    "paired_t",
    "paired_test",
    "pairs_needed",
    "power_at",
    "powered_mean",
    "queries_needed",
    "randomisation",
    "rank_biased_overlap",
    "rank_biserial",
    "robustness_index",
    "sd_interval",
    "sd_of_differences",
    "sign",
    "simultaneous_intervals",
    "smallest_drop",
    "t_risk",
    "tau_ap",
    "u_risk",
    "weigh_losses",
    "weighted_kappa",
    "wilcoxon",
]
