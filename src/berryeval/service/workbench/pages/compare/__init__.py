"""The page Compare: two runs, measure by measure and query by query."""
