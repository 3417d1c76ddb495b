"""What happens to a team that does what teams do: practices that mislead, before and after.

Teams are invented, and so are the versions of their search: each has a true mean, and its queries
vary around it at random. The truth is known here, so that every claim can be checked. *Before* is a
team whose gate forgets; *after* has the levels and the tests of the gate. ``make simulate`` writes
the tables of docs/explanation/practices.md.

How much selection misleads depends on how many queries a change affects. If it affects all of them,
each version is a new one, and what was gained by luck is lost again by the next; if it affects a
few, lucky changes add up.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy import stats as scipy_stats
from simulated_tables import write_table

from berryeval.evaluation.gate_rules import GateRules
from berryeval.evaluation.margins import margin_interval, margin_p_values
from berryeval.evaluation.memory import Memory, levels_of
from berryeval.stats import difference_of_means, mean_of

Floats = NDArray[np.float64]

ALPHA = 0.05
SD = 0.15
"""Standard deviation of a query's difference between two versions, as real changes have it."""
LOSS = 1.0
"""The most that a query can lose."""
N_CHANGES = 200
CREEP = -0.004
N_CREEPING = 50
AFFECTED = (1.0, 0.2)
"""Shares of the queries that a change affects."""
MARGIN = 0.02
RESERVE = 0.3
OPENINGS = 5
SIZES = (40, 80, 120, 160, 200)
"""The number of queries at each look at a set that grows."""


@dataclass(frozen=True)
class Selection:
    """A team that tries neutral changes and keeps those that look better."""

    gain: float
    """The improvement that the set shows in the end. There is none."""
    is_significant: bool
    """Whether a t-test of the last system against the first calls it one."""
    n_kept: int


@dataclass(frozen=True)
class Creep:
    """A team that ships changes that are all slightly worse."""

    n_shipped: int
    loss: float
    """What was lost in truth, in margins."""


def version(random: np.random.Generator, n_queries: int, mean: float = 0.0) -> Floats:
    """Draw what a version scores for each query, as a difference from the same query's average."""
    return mean + SD / np.sqrt(2) * random.standard_normal(n_queries)


def changed(random: np.random.Generator, present: Floats, affected: float) -> Floats:
    """Draw a neutral change of a version: the queries that it affects get new scores."""
    is_affected = random.random(len(present)) < affected
    return np.where(is_affected, version(random, len(present)), present)


def keep_what_looks_better(
    random: np.random.Generator,
    n_queries: int,
    n_changes: int,
    *,
    has_memory: bool,
    affected: float = 1.0,
) -> Selection:
    """Try neutral changes of a system, and keep each that beats the present version.

    Without a memory a higher mean is enough. With it, the gate has to call the change better, at
    the level of its try.
    """
    first = present = version(random, n_queries)
    rules = GateRules(alpha=ALPHA, n_max=n_queries)
    n_kept = 0
    for number in range(1, n_changes + 1):
        variant = changed(random, present, affected)
        differences = variant - present
        is_kept = differences.mean() > 0
        if is_kept and has_memory:
            sample = mean_of(differences)
            p_value = sample.p_above(skewness=sample.cautious_skewness, loss=LOSS)
            is_kept = p_value <= levels_of(rules, Memory((n_queries,), number)).better
        if is_kept:
            present = variant
            n_kept += 1
    gained = present - first
    p_value = 1.0
    if n_kept:
        p_value = float(scipy_stats.ttest_1samp(gained, 0, alternative="greater").pvalue)
    return Selection(float(gained.mean()), p_value <= ALPHA, n_kept)


def check_by_reserve(
    random: np.random.Generator, n_queries: int, affected: float = 1.0
) -> tuple[Floats, Floats]:
    """Keep a higher mean of the seen queries; return the gains of seen and reserved ones."""
    n_seen = round(n_queries * (1 - RESERVE))
    first = present = version(random, n_queries)
    for _ in range(N_CHANGES):
        variant = changed(random, present, affected)
        if variant[:n_seen].mean() > present[:n_seen].mean():
            present = variant
    gains = present - first
    return gains[:n_seen], gains[n_seen:]


def creep(random: np.random.Generator, n_queries: int, *, has_anchor: bool) -> Creep:
    """Ship changes that lose a little each, if the gate passes them; the baseline moves along."""
    release = baseline = version(random, n_queries)
    n_shipped = 0
    for _ in range(N_CREEPING):
        candidate = version(random, n_queries, CREEP * (n_shipped + 1))
        references = [baseline, release] if has_anchor else [baseline]
        if all(passes(candidate - one, MARGIN, ALPHA) for one in references):
            baseline = candidate
            n_shipped += 1
    return Creep(n_shipped, -CREEP * n_shipped / MARGIN)


def passes(differences: Floats, margin: float, level: float) -> bool:
    """Return whether a margin guard passes."""
    return margin_p_values(mean_of(differences), margin, LOSS).passing <= level


def peek(
    random: np.random.Generator, mean: float, margin: float, level_at: Callable[[int], float]
) -> bool:
    """Run the gate at each size of a growing set; return whether it passes at any look."""
    differences = version(random, SIZES[-1], mean) - version(random, SIZES[-1])
    return any(
        passes(differences[:size], margin, level_at(look))
        for look, size in enumerate(SIZES, start=1)
    )


def peeking_levels() -> dict[str, Callable[[int], float]]:
    """Return the level of each look, by practice."""
    return {
        "each look at alpha": lambda _look: ALPHA,
        "counted looks": lambda look: Memory(SIZES[:look], 1).level(ALPHA),
        "counted looks, `n_max` declared": lambda look: Memory(SIZES[:look], 1).level(
            ALPHA, SIZES[-1]
        ),
        "one look at the end": lambda look: ALPHA if look == len(SIZES) else 0.0,
    }


def selection_rows(n_teams: int) -> Iterator[str]:
    """Return the table of what is kept."""
    yield (
        "| queries | affected by a change | practice | changes kept | apparent gain | "
        "called significant |"
    )
    yield "|---:|---:|---|---:|---:|---:|"
    practices = {"keep a higher mean": False, "keep what the gate calls better": True}
    for n_queries, affected, name in product((100, 200), AFFECTED, practices):
        random = np.random.default_rng(n_queries)
        found = [
            keep_what_looks_better(
                random, n_queries, N_CHANGES, has_memory=practices[name], affected=affected
            )
            for _ in range(n_teams)
        ]
        gain = np.mean([one.gain for one in found])
        share = np.mean([one.is_significant for one in found])
        kept = np.mean([one.n_kept for one in found])
        yield f"| {n_queries} | {affected:.0%} | {name} | {kept:.2f} | {gain:+.3f} | {share:.0%} |"


def reserve_rows(n_teams: int) -> Iterator[str]:
    """Return the table of what a reserve says of changes that were kept for a higher mean."""
    yield (
        "| queries | affected by a change | seen gain | reserve's gain | "
        "seen queries call it significant | the reserve does | drift found |"
    )
    yield "|---:|---:|---:|---:|---:|---:|---:|"
    level = ALPHA / OPENINGS
    for n_queries, affected in product((200, 400), AFFECTED):
        random = np.random.default_rng(n_queries)
        samples = [
            tuple(map(mean_of, check_by_reserve(random, n_queries, affected)))
            for _ in range(n_teams)
        ]
        gains = [np.mean([pair[side].mean for pair in samples]) for side in (0, 1)]
        believed = np.mean([seen.p_above(skewness=0) <= ALPHA for seen, _ in samples])
        claimed = np.mean([margin_interval(one, level, LOSS).low > 0 for _, one in samples])
        drifted = np.mean(
            [difference_of_means(*pair).p_above(skewness=0) <= level for pair in samples]
        )
        yield (
            f"| {n_queries} | {affected:.0%} | {gains[0]:+.3f} | {gains[1]:+.3f} | "
            f"{believed:.0%} | {claimed:.1%} | {drifted:.0%} |"
        )


def creep_rows(n_teams: int) -> Iterator[str]:
    """Return the table of small drops."""
    yield f"| queries | practice | shipped, of {N_CREEPING} | true loss, in margins | worst team |"
    yield "|---:|---|---:|---:|---:|"
    for n_queries in (400, 1000):
        for name, has_anchor in (("moving baseline", False), ("and an anchor", True)):
            random = np.random.default_rng(n_queries)
            found = [creep(random, n_queries, has_anchor=has_anchor) for _ in range(n_teams)]
            shipped = np.mean([one.n_shipped for one in found])
            losses = [one.loss for one in found]
            yield (
                f"| {n_queries} | {name} | {shipped:.1f} | {np.mean(losses):.1f} | "
                f"{max(losses):.1f} |"
            )


def peeking_rows(n_sets: int, margin: float = 0.04) -> Iterator[str]:
    """Return the table of looks at a set that grows."""
    yield "| practice | a drop of the margin passes | an equal candidate passes |"
    yield "|---|---:|---:|"
    for name, level_at in peeking_levels().items():
        rates = []
        for mean in (-margin, 0.0):
            random = np.random.default_rng(0)
            rates.append(np.mean([peek(random, mean, margin, level_at) for _ in range(n_sets)]))
        yield f"| {name} | {rates[0]:.3f} | {rates[1]:.2f} |"


def main() -> None:
    """Simulate every practice, and write the tables."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--teams", type=int, default=500, help="teams per row")
    options.add_argument("--sets", type=int, default=5000, help="growing sets per row")
    chosen = options.parse_args()
    write_table("practices.md", "selection", selection_rows(chosen.teams))
    write_table("practices.md", "reserve", reserve_rows(chosen.teams))
    write_table("practices.md", "creep", creep_rows(chosen.teams))
    write_table("practices.md", "looks", peeking_rows(chosen.sets))


if __name__ == "__main__":
    main()
