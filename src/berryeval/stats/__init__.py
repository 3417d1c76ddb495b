"""Statistics of paired scores: intervals, tests, corrections, effect sizes, power."""
