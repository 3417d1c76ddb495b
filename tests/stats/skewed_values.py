"""Skewed values, in groups and with weights."""

import numpy as np

RANDOM = np.random.default_rng(14)


SKEWED = 0.3 - RANDOM.exponential(0.3, size=40)


LABELS = np.repeat(np.arange(9), [1, 1, 2, 3, 5, 8, 10, 6, 4])


WEIGHTS = RANDOM.pareto(1.5, size=40) + 0.1
