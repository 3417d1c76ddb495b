"""The intents of a query that a document serves: the input of intent-aware measures.

The grades that kernels take may be `berryeval.core.intents.IntentGrade`. A document serves an
intent if its grade for that intent reaches the level. Intents that no judged document serves do
not count. If no judged document has grades by intent, the query is its own single intent.
"""

from __future__ import annotations

from collections.abc import Sequence

from berryeval.core.intents import IntentGrade, Part

__all__ = ["Intents"]


class Intents:
    """The intents of a query, in byte order, and the documents that serve them."""

    def __init__(self, judged: Sequence[float], level: float) -> None:
        self._level = level
        self._is_single = not any(isinstance(grade, IntentGrade) for grade in judged)
        weights: dict[bytes, float] = {}
        n_relevant: dict[bytes, int] = {}
        for grade in judged:
            for intent, weight, its_grade in self._parts(grade):
                if its_grade >= level:
                    weights[intent] = weight
                    n_relevant[intent] = n_relevant.get(intent, 0) + 1
        self._places = {intent: place for place, intent in enumerate(sorted(weights))}
        self.weights = [weights[intent] for intent in self._places]
        """The weight of each intent."""
        self.n_relevant = [n_relevant[intent] for intent in self._places]
        """The number of judged documents that serve each intent."""
        self.total = 0.0
        """The sum of the weights."""
        for weight in self.weights:
            self.total += weight

    def served_by(self, grade: float) -> tuple[int, ...]:
        """Return the positions of the intents that a document serves, in ascending order."""
        return tuple(place for place, _ in self.graded_by(grade))

    def graded_by(self, grade: float) -> tuple[tuple[int, float], ...]:
        """Return the positions of the intents a document serves, ascending, with its grades."""
        return tuple(
            (self._places[part.intent], part.grade)
            for part in self._parts(grade)
            if part.grade >= self._level and part.intent in self._places
        )

    def gains(self, grades: Sequence[float], alpha: float) -> list[float]:
        """Return the gain of each document in rank order.

        A document gains the weight of each intent that it serves, times 1 - alpha for each
        document above it that serves the same intent.
        """
        worth = list(self.weights)
        gains = []
        for grade in grades:
            gain = 0.0
            for place in self.served_by(grade):
                gain += worth[place]
                worth[place] *= 1.0 - alpha
            gains.append(gain)
        return gains

    def ideal_gains(self, judged: Sequence[float], alpha: float, k: int | None) -> list[float]:
        """Return the gains of the ideal ranking, up to rank k.

        Each rank has the judged document that gains most there; among documents that gain the same,
        the one with the highest id in byte order. This greedy ranking is the published definition.
        The best possible ranking would take exponential time, and may gain more.
        """
        waiting: dict[tuple[int, ...], list[bytes]] = {}
        for grade in judged:
            served = self.served_by(grade)
            if served:
                # Without intents of their own, documents gain alike, and their ids do not matter.
                waiting.setdefault(served, []).append(getattr(grade, "doc_id", b""))
        for doc_ids in waiting.values():
            doc_ids.sort()
        worth = list(self.weights)
        gains: list[float] = []
        while waiting and (k is None or len(gains) < k):
            gain, _, served = max(
                (self._gain(served, worth), doc_ids[-1], served)
                for served, doc_ids in waiting.items()
            )
            gains.append(gain)
            for place in served:
                worth[place] *= 1.0 - alpha
            waiting[served].pop()
            if not waiting[served]:
                del waiting[served]
        return gains

    @staticmethod
    def _gain(served: tuple[int, ...], worth: Sequence[float]) -> float:
        gain = 0.0
        for place in served:
            gain += worth[place]
        return gain

    def _parts(self, grade: float) -> tuple[Part, ...]:
        if self._is_single:
            return (Part(b"", 1.0, grade),)
        return grade.parts if isinstance(grade, IntentGrade) else ()
