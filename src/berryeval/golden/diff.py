"""What changed between two golden sets: documents, queries, judgments and declarations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from berryeval.core.query import Query
from berryeval.golden.golden_set import GoldenSet

__all__ = ["GoldenDiff", "PartDiff", "diff_golden_sets"]


@dataclass(frozen=True)
class PartDiff:
    """The differences of one part, by the ids of its entries."""

    added: Mapping[tuple[str, ...], Any]
    removed: Mapping[tuple[str, ...], Any]
    changed: Mapping[tuple[str, ...], tuple[Any, Any]]
    """The values before and after."""
    n_same: int

    @property
    def is_empty(self) -> bool:
        """Whether there is no difference."""
        return not (self.added or self.removed or self.changed)


@dataclass(frozen=True)
class GoldenDiff:
    """The differences of two golden sets."""

    before: GoldenSet
    after: GoldenSet
    documents: PartDiff
    """Chunks by id; what changed is their title or text."""
    queries: PartDiff
    """Queries by id; what changed is their text or a label, each with both values."""
    judgments: PartDiff
    """Grades by query and chunk or span."""
    declared: Mapping[str, tuple[Any, Any]]
    """Scale, labels, rule for several judges, and level of relevance, if they differ."""

    @property
    def is_empty(self) -> bool:
        """Whether there is no difference."""
        parts = (self.documents, self.queries, self.judgments)
        return not self.declared and all(part.is_empty for part in parts)


def diff_golden_sets(before: GoldenSet, after: GoldenSet) -> GoldenDiff:
    """Return what was added, removed and changed from one golden set to another.

    Documents are compared as chunks, with the title and text that a system indexes. Two sets
    without a difference have equal scores, even if their files have other names and formats.
    """
    return GoldenDiff(
        before,
        after,
        documents=_compare(_documents(before), _documents(after)),
        queries=_compare(_queries(before), _queries(after)),
        judgments=_compare(_grades(before), _grades(after)),
        declared={
            name: (old, new)
            for name in ("scale", "labels", "judges", "relevant_from", "pool_depth")
            for old, new in [(getattr(before, name), getattr(after, name))]
            if old != new
        },
    )


def _compare(
    before: Mapping[tuple[str, ...], Any], after: Mapping[tuple[str, ...], Any]
) -> PartDiff:
    changed = {
        key: (value, after[key])
        for key, value in before.items()
        if key in after and after[key] != value
    }
    return PartDiff(
        added={key: value for key, value in after.items() if key not in before},
        removed={key: value for key, value in before.items() if key not in after},
        changed=changed,
        n_same=len(before.keys() & after.keys()) - len(changed),
    )


def _documents(golden: GoldenSet) -> dict[tuple[str, ...], tuple[str, str]]:
    return {(one.doc_id,): (one.title, one.text) for one in golden.documents()}


def _queries(golden: GoldenSet) -> dict[tuple[str, ...], Query]:
    return {(one.query_id,): one for one in golden.queries}


def _grades(golden: GoldenSet) -> dict[tuple[str, ...], float]:
    return {
        (judged.query_id, name): grade
        for judged in golden.judged
        for name, grade in judged.iter_grades()
    }
