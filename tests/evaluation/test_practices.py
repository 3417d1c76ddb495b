"""The effect of counted looks, tries and an anchor on teams, at reduced size."""

import numpy as np
import pytest

practices = pytest.importorskip(
    "simulate_practices", reason="the scripts are not in a source distribution"
)
tables = pytest.importorskip("simulated_tables")

N_TEAMS = 60  # three standard errors of a share of 0.05 are 0.085


def selections(*, has_memory, affected=1.0):
    random = np.random.default_rng(1)
    return [
        practices.keep_what_looks_better(random, 100, 100, has_memory=has_memory, affected=affected)
        for _ in range(N_TEAMS)
    ]


def test_keeping_a_higher_mean_creates_a_false_improvement():
    """Neutral changes show a gain that a t-test often accepts."""
    found = selections(has_memory=False)
    assert np.mean([one.gain for one in found]) > 0.02
    assert np.mean([one.is_significant for one in found]) > 0.4


def test_changes_that_affect_few_queries_create_larger_ones():
    """Accidental gains of one change are still there when the next one is tried."""
    found = selections(has_memory=False, affected=0.2)
    assert np.mean([one.gain for one in found]) > 0.04
    assert np.mean([one.is_significant for one in found]) > 0.9


@pytest.mark.parametrize("affected", practices.AFFECTED)
def test_counted_tries_rarely_call_a_neutral_change_better(affected):
    """At most alpha of the teams ever see one, plus three standard errors."""
    found = selections(has_memory=True, affected=affected)
    assert np.mean([one.n_kept > 0 for one in found]) <= 0.05 + 0.085
    assert abs(np.mean([one.gain for one in found])) < 0.005


def test_a_reserve_is_not_fooled_by_selection():
    """The seen queries gained, but the reserved ones did not."""
    random = np.random.default_rng(1)
    gains = [practices.check_by_reserve(random, 200) for _ in range(20)]
    assert np.mean([seen.mean() for seen, _ in gains]) > 0.015
    assert abs(np.mean([apart.mean() for _, apart in gains])) < 0.013


def test_an_anchor_stops_a_creep_that_a_moving_baseline_misses():
    """Many margins are lost without it, and about one with it."""
    losses = {}
    for has_anchor in (False, True):
        random = np.random.default_rng(1)
        found = [practices.creep(random, 1000, has_anchor=has_anchor) for _ in range(5)]
        losses[has_anchor] = np.mean([one.loss for one in found])
    assert losses[False] > 7
    assert losses[True] < 1.5


@pytest.mark.parametrize("name", ["counted looks", "counted looks, `n_max` declared"])
def test_counted_looks_together_keep_alpha(name):
    """Five looks at a drop of the margin pass as rarely as one, plus three standard errors."""
    level_at = practices.peeking_levels()[name]
    random = np.random.default_rng(1)
    passed = [practices.peek(random, -0.04, 0.04, level_at) for _ in range(1000)]
    assert np.mean(passed) <= 0.05 + 0.0207


def test_the_page_has_every_table():
    """`make simulate` must be run after a row has changed."""
    page = (tables.EXPLANATION / "practices.md").read_text(encoding="utf-8")
    for name in ("selection", "reserve", "creep", "peeking"):
        header, rule, *body = getattr(practices, f"{name}_rows")(2)
        _, _, rest = page.partition(f"{header}\n{rule}\n")
        written = rest.partition("\n\n")[0].splitlines()
        firsts = [[line.split("|")[1] for line in rows] for rows in (written, body)]
        assert firsts[0] == firsts[1]
