"""Statistics of paired scores: intervals, tests, corrections, effect sizes, power.

Everything takes plain numbers: one a query, or one a query and column. Nothing returns NaN: what
is not defined is None. What draws at random takes a seed, and gives the same bits for it anywhere.
"""

from berryeval.stats.resampling import flipped_means, permuted_ranges, resampled_means

__all__ = ["flipped_means", "permuted_ranges", "resampled_means"]
