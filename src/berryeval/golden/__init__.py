"""Golden sets: the bundled one, and tools to create and check your own."""

from berryeval.golden.golden_set import GoldenSet
from berryeval.golden.reading import handbook, read_golden_set

__all__ = ["GoldenSet", "handbook", "read_golden_set"]
