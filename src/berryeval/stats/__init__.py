"""Statistics of paired scores: intervals, tests, corrections, effect sizes, power.

Everything takes plain numbers: one a query, or one a query and column. Nothing returns NaN: what
is not defined is None. What draws at random takes a seed, and gives the same bits for it anywhere.
"""

from berryeval.stats.bca import bca_p_values
from berryeval.stats.interval import Interval
from berryeval.stats.intervals import bca_interval, bca_intervals, student_interval
from berryeval.stats.resampling import flipped_means, permuted_ranges, resampled_means

__all__ = [
    "Interval",
    "bca_interval",
    "bca_intervals",
    "bca_p_values",
    "flipped_means",
    "permuted_ranges",
    "resampled_means",
    "student_interval",
]
