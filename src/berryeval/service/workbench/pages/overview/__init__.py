"""The page Overview: the state of a series, its trend, and what to look at next."""
