"""The pages of gates: what a candidate has to reach, and what was decided."""

from __future__ import annotations

__all__: list[str] = []
