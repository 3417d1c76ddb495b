"""Preferences: which of two documents should be ranked above the other.

A judgment group is one person. Within a group, documents of a higher level are preferred to
those of a lower one. A group with several subgroups has the preferences within each of these, and
those that follow from them.

A preference is kept if the better document is ranked above the other one, or was retrieved and the
other was not. Documents are numbered by rank here: those that were judged and retrieved from 0
on, then those that were not retrieved.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, groupby, product
from typing import NamedTuple

from berryeval.core.id_column import decode_id
from berryeval.errors import TrecEvalError

__all__ = ["SCORES", "Preference", "Preferences", "collect"]

NOT_SCORED = 4

Pair = tuple[int, int]
"""The number of the preferred document, and that of the other one."""


class Preference(NamedTuple):
    """A line of a file: a judge's opinion on a document, within a subgroup."""

    group: bytes
    subgroup: bytes
    doc_id: bytes
    level: float


@dataclass(frozen=True)
class _Group:
    """The preferences of a group, by whether both, one or none of the documents was retrieved."""

    both: int
    both_kept: int
    one: int
    one_kept: int
    none: int
    n_relevant: int
    n_relevant_retrieved: int
    n_nonrelevant: int
    n_nonrelevant_retrieved: int
    pairs: Counter[Pair]
    fewer_pairs: Callable[[bool], list[Pair]]
    """The pairs with as many non-relevant documents as relevant ones, among all or retrieved
    documents.
    """


@dataclass(frozen=True)
class Preferences:
    """The preferences of a query."""

    groups: list[_Group]
    n_retrieved: int
    n_documents: int
    pairs: Counter[Pair]


def collect(rows: Sequence[Preference], ranking: Iterable[bytes], query_id: bytes) -> Preferences:
    """Count the preferences of a query for a ranking of its documents.

    Raises `TrecEvalError` if the judgments of a group contradict each other.
    """
    judged = {row.doc_id for row in rows}
    retrieved = [doc_id for doc_id in ranking if doc_id in judged]
    missing = sorted(judged.difference(retrieved))
    number_of = {doc_id: number for number, doc_id in enumerate(retrieved + missing)}
    groups = []
    in_order = sorted(
        rows, key=lambda row: (row.group, row.subgroup, -row.level, number_of[row.doc_id])
    )
    for _, members in groupby(in_order, key=lambda row: row.group):
        group = list(members)
        if len({row.subgroup for row in group}) == 1:
            groups.append(_complete_group(group, number_of, len(retrieved), query_id))
        else:
            groups.append(_partial_group(group, number_of, len(retrieved), query_id))
    pairs: Counter[Pair] = Counter()
    for counted in groups:
        pairs.update(counted.pairs)
    return Preferences(groups, len(retrieved), len(number_of), pairs)


def _complete_group(
    rows: list[Preference], number_of: dict[bytes, int], n_retrieved: int, query_id: bytes
) -> _Group:
    """Add a group that compares all of its documents: classes of equals, best first."""
    levels = []
    classes = []
    for level, members in groupby(rows, key=lambda row: row.level):
        levels.append(level)
        classes.append([number_of[row.doc_id] for row in members])
    pairs = Counter(
        pair
        for better, worse in combinations(classes, 2)
        for pair in product(better, worse)
    )  # fmt: skip
    if any(better == worse for better, worse in pairs):
        raise _contradiction(query_id, rows[0].group)

    def fewer_pairs(only_retrieved: bool) -> list[Pair]:
        shown = [
            [number for number in members if not only_retrieved or number < n_retrieved]
            for members in classes
        ]
        n_relevant = sum(len(m) for m, level in zip(shown, levels, strict=True) if level > 0.0)
        few = shown[-1][:n_relevant]
        among_better = (p for a, b in combinations(shown[:-1], 2) for p in product(a, b))
        # As trec_eval, which compares the last class with itself as well.
        return [*among_better, *(pair for members in shown for pair in product(members, few))]

    grade_of = [
        (number, level)
        for level, members in zip(levels, classes, strict=True)
        for number in members
    ]
    relevant = [number for number, level in grade_of if level > 0.0]
    other = [number for number, level in grade_of if not level > 0.0]
    return _counted(pairs, relevant, other, n_retrieved, fewer_pairs)


def _partial_group(
    rows: list[Preference], number_of: dict[bytes, int], n_retrieved: int, query_id: bytes
) -> _Group:
    """Add a group of several subgroups, whose preferences imply further ones."""
    level_of: dict[int, float] = {}
    better_than: dict[int, set[int]] = {number: set() for number in number_of.values()}
    for row in rows:
        number = number_of[row.doc_id]
        before = level_of.setdefault(number, row.level)
        if min(before, row.level) == 0.0 < max(before, row.level):
            raise _contradiction(query_id, row.group)
        level_of[number] = row.level
    for _, members in groupby(rows, key=lambda row: row.subgroup):
        for first, second in combinations(list(members), 2):
            if first.level > second.level:
                better_than[number_of[first.doc_id]].add(number_of[second.doc_id])
    pairs = Counter(_transitive(better_than))
    if any((worse, better) in pairs for better, worse in pairs):
        raise _contradiction(query_id, rows[0].group)
    relevant = [number for number, level in level_of.items() if level > 0.0]
    other = [number for number, level in level_of.items() if level == 0.0]

    def fewer_pairs(only_retrieved: bool) -> list[Pair]:
        dropped = set(sorted(other)[len(relevant) :])
        return [
            pair
            for pair in pairs
            if dropped.isdisjoint(pair) and not (only_retrieved and max(pair) >= n_retrieved)
        ]

    return _counted(pairs, relevant, other, n_retrieved, fewer_pairs)


def _transitive(better_than: dict[int, set[int]]) -> Iterable[Pair]:
    """Iterate over the preferences, and those that follow from two of them."""
    for start, first in better_than.items():
        reached: set[int] = set()
        waiting = list(first)
        while waiting:
            number = waiting.pop()
            if number not in reached:
                reached.add(number)
                waiting += better_than[number]
        yield from ((start, number) for number in reached if number != start)


def _counted(
    pairs: Counter[Pair],
    relevant: list[int],
    other: list[int],
    n_retrieved: int,
    fewer_pairs: Callable[[bool], list[Pair]],
) -> _Group:
    both = both_kept = one = one_kept = none = 0
    for (better, worse), n in pairs.items():
        if max(better, worse) < n_retrieved:
            both += n
            both_kept += n if better < worse else 0
        elif min(better, worse) < n_retrieved:
            one += n
            one_kept += n if better < worse else 0
        else:
            none += n
    return _Group(
        both, both_kept, one, one_kept, none,
        len(relevant), sum(number < n_retrieved for number in relevant),
        len(other), sum(number < n_retrieved for number in other),
        pairs, fewer_pairs,
    )  # fmt: skip


def _contradiction(query_id: bytes, group: bytes) -> TrecEvalError:
    message = (
        f"query {decode_id(query_id)!r}: the judgments of group {decode_id(group)!r} "
        "contradict each other"
    )
    return TrecEvalError(message, NOT_SCORED)


def _n_possible(group: _Group, scope: str) -> int:
    return group.both + (group.one if scope != "ret" else 0) + (group.none if not scope else 0)


def _n_kept(group: _Group, scope: str) -> int:
    return group.both_kept + (group.one_kept if scope != "ret" else 0)


def _simple(preferences: Preferences, scope: str) -> float:
    """Divide the number of kept preferences by that of all."""
    possible = sum(_n_possible(group, scope) for group in preferences.groups)
    kept = sum(_n_kept(group, scope) for group in preferences.groups)
    return kept / possible if possible else 0.0


def _by_group(preferences: Preferences, scope: str) -> float:
    """Return the share of kept preferences in each group, averaged over groups."""
    total = 0.0
    for group in preferences.groups:
        if possible := _n_possible(group, scope):
            total += _n_kept(group, scope) / possible
    return total / len(preferences.groups)


def _by_group_balanced(preferences: Preferences, scope: str) -> float:
    """Return `_by_group` as if each group had as many non-relevant documents as relevant ones."""
    total = 0.0
    for group in preferences.groups:
        only_retrieved = scope == "ret"
        n_relevant = group.n_relevant_retrieved if only_retrieved else group.n_relevant
        n_other = group.n_nonrelevant_retrieved if only_retrieved else group.n_nonrelevant
        if n_relevant >= n_other:
            n_added = n_relevant - n_other
            kept = _n_kept(group, scope) + group.n_relevant_retrieved * n_added
            possible = _n_possible(group, scope) + group.n_relevant * n_added
        else:
            pairs = group.fewer_pairs(only_retrieved)
            possible = len(pairs)
            kept = sum(a < b and a < preferences.n_retrieved for a, b in pairs)
        # As in trec_eval, where 0 / 0 spreads over all groups and then becomes 0.
        total += kept / possible if possible else math.nan
    return 0.0 if math.isnan(total) else total / len(preferences.groups)


def _by_pair(preferences: Preferences, scope: str) -> float:
    """Average the share of judges whose preference is kept over pairs of documents."""
    counts = preferences.pairs
    n_pairs = 0
    total = 0.0
    pairs = sorted({(min(pair), max(pair)) for pair in counts})
    first_below = preferences.n_retrieved
    # Both retrieved, then one, then none: trec_eval's order of summation.
    for first, second in sorted(pairs, key=lambda p: (p[0] >= first_below, p[1] >= first_below)):
        if first >= first_below:
            n_pairs += not scope
        elif second < first_below or scope != "ret":
            n_pairs += 1
            kept, failed = counts[first, second], counts[second, first]
            total += kept / (kept + failed)
    return total / n_pairs if n_pairs else 0.0


def _sum_possible(preferences: Preferences) -> float:
    return float(sum(_n_possible(group, "") for group in preferences.groups))


def _sum_kept(preferences: Preferences, scope: str) -> float:
    return float(sum(_n_kept(group, scope) for group in preferences.groups))


SCORES: dict[str, Callable[[Preferences], float]] = {
    "prefs_num_prefs_poss": _sum_possible,
    "prefs_num_prefs_ful": partial(_sum_kept, scope=""),
    "prefs_num_prefs_ful_ret": partial(_sum_kept, scope="ret"),
    "prefs_simp": partial(_simple, scope=""),
    "prefs_pair": partial(_by_pair, scope=""),
    "prefs_avgjg": partial(_by_group, scope=""),
    "prefs_avgjg_Rnonrel": partial(_by_group_balanced, scope=""),
    "prefs_simp_ret": partial(_simple, scope="ret"),
    "prefs_pair_ret": partial(_by_pair, scope="ret"),
    "prefs_avgjg_ret": partial(_by_group, scope="ret"),
    "prefs_avgjg_Rnonrel_ret": partial(_by_group_balanced, scope="ret"),
    "prefs_simp_imp": partial(_simple, scope="imp"),
    "prefs_pair_imp": partial(_by_pair, scope="imp"),
    "prefs_avgjg_imp": partial(_by_group, scope="imp"),
}
"""Measures by name. Those that end in ret only look at preferences between retrieved documents,
those that end in imp also at preferences with one retrieved document, and the others at all.
"""
