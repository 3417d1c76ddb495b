"""Golden sets: the one that ships, and what builds and checks one."""

from berryeval.golden.golden_set import GoldenSet
from berryeval.golden.reading import handbook, read_golden_set

__all__ = ["GoldenSet", "handbook", "read_golden_set"]
