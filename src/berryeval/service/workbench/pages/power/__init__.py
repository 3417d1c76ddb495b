"""The page Power: the smallest drop that a golden set can detect."""
