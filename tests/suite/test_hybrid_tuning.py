"""Settings of a hybrid search, proposed by cross-validation."""

import json

import pytest

from beir_of_fruit import FRUIT, WANTED, write_fruit
from berryeval.errors import ArgumentError
from berryeval.golden.reading import read_golden_set
from berryeval.reports.hybrid_tuning import hybrid_tuning_sentences, render_hybrid_tuning, use_line
from berryeval.search.hits import Hit
from berryeval.search.system import System
from berryeval.search.systems.embedded import Embedded
from berryeval.search.systems.hybrid import HybridSettings
from berryeval.suite.tuning import CURRENT, WORDS, settings_line, tune_hybrid


class Staged(System):
    """A hybrid whose rank of the relevant document depends on its settings."""

    name = "staged"
    can_index = True
    mode, fusion = "hybrid", "scores"

    def __init__(self, rank_of, **settings):
        self.rank_of = rank_of
        self.settings = HybridSettings(**settings)
        self.depths = set()

    def index(self, documents):
        return len(list(documents))

    def search(self, query, k):  # noqa: ARG002 - with its own settings, which is not tried
        raise AssertionError

    def search_each(self, query, k, several):
        self.depths.add(k)
        return [self._hits(query, one) for one in several]

    def _hits(self, query, settings):
        others = [name for name in FRUIT if name != WANTED[query]]
        others.insert(self.rank_of(settings) - 1, WANTED[query])
        return [Hit(name, -rank) for rank, name in enumerate(others)]


@pytest.fixture(scope="module")
def golden(tmp_path_factory):
    return read_golden_set(write_fruit(tmp_path_factory.mktemp("fruit") / "fruit"))


def test_settings_that_clearly_help_are_proposed(golden):
    """The line to use contains them, and the held-out score is theirs."""
    system = Staged(lambda one: 1 if one.weights == (3, 1) and one.feedback == 0 else 3)
    tuning = tune_hybrid(system, golden, "RR@10")
    assert tuning.is_better
    assert tuning.settings == HybridSettings((3, 1), 0, 0)
    assert settings_line(tuning.settings) == "-s weights=3,1 -s late=0 -s feedback=0"
    assert (tuning.choice.held_out.mean, tuning.choice.training) == (1.0, 1.0)
    assert hybrid_tuning_sentences(tuning) == [
        "Tuned search is better than current search: RR@10 rises from 0.3333 to 1.0000.",
        "Tuned search is better than search by words: RR@10 rises from 0.3333 to 1.0000.",
        "RR@10 on held-out folds: 1.0000 [1.0000, 1.0000]. On training folds: 1.0000, which is "
        "optimistic.",
    ]


def test_nothing_changes_without_a_clear_gain(golden):
    """The current settings stay."""
    tuning = tune_hybrid(Staged(lambda _one: 2, weights=(5, 2)), golden)
    assert (tuning.recommended, tuning.is_better) == (CURRENT, False)
    assert use_line(tuning) == "Settings to use (unchanged): -s weights=5,2 -s late=1 -s feedback=5"
    first, second, third, _ = hybrid_tuning_sentences(tuning)
    assert first.startswith("No settings tried clearly beat current search. Tuned search ")
    assert second.startswith("No settings tried clearly beat search by words. Tuned search ")
    assert third.startswith("Current search ")


def test_words_alone_are_proposed_if_they_beat_the_current_settings(golden):
    """This holds even if folds chose differently, so that no choice is established."""
    system = Staged(lambda one: 1 if one.weights[1] == one.late == one.feedback == 0 else 4)
    tuning = tune_hybrid(system, golden, "RR@10")
    assert tuning.recommended == WORDS
    assert tuning.settings == HybridSettings((1, 0), 0, 0)


def test_what_is_turned_off_is_not_tried(golden):
    """Tokens and feedback are then not indexed."""
    tuning = tune_hybrid(Staged(lambda _one: 1, late=0, feedback=0), golden)
    assert {(one.late, one.feedback) for one in tuning.tried.values()} == {(0, 0)}
    assert [*tuning.tried] == [
        CURRENT, WORDS, "weights=3,1 late=0 feedback=0", "weights=1,1 late=0 feedback=0",
        "weights=1,3 late=0 feedback=0", "weights=0,1 late=0 feedback=0",
    ]  # fmt: skip


def test_each_setting_is_tried_once(golden):
    """The current one is tried under its own name."""
    tuning = tune_hybrid(Staged(lambda _one: 1), golden)
    assert len(tuning.tried) == 32
    assert len({*tuning.tried.values()}) == 32
    assert "weights=4,1 late=1 feedback=0" in tuning.tried


def test_searches_are_as_deep_as_the_measure(golden):
    """At least ten hits are requested; without a cutoff, as many as the system considers."""
    for measure, depth in (("nDCG@3", 10), ("R@20", 20), ("AP", 100)):
        system = Staged(lambda _one: 1)
        tune_hybrid(system, golden, measure)
        assert system.depths == {depth}


@pytest.mark.parametrize("settings", [{"mode": "bm25"}, {"fusion": "ranks"}])
def test_only_hybrids_by_scores_are_tuned(golden, settings):
    """Others have no such weights."""
    with pytest.raises(ArgumentError, match="system: expected hybrid, or postgres"):
        tune_hybrid(Embedded(**settings), golden)


def test_the_embedded_hybrid_is_tuned(golden):
    """Means of single settings are those of such a system; progress counts queries."""
    seen = []
    tuning = tune_hybrid(Embedded(), golden, "RR@10", progress=lambda *n: seen.append(n))
    assert seen[-1] == (12, 12)
    name = "weights=1,3 late=0 feedback=0"
    single = Embedded(weights=(1, 3), late=0, feedback=0)
    single.index(golden.documents())
    ranks = [
        [hit.doc_id for hit in single.search(text, 10)].index(wanted) + 1
        for text, wanted in WANTED.items()
    ]
    assert tuning.choice.means[name] == pytest.approx(sum(1 / rank for rank in ranks) / 12)


def test_formats_have_all_settings(golden):
    """This covers JSON, CSV and Markdown."""
    tuning = tune_hybrid(Staged(lambda one: 1 if one.weights == (1, 3) else 2), golden, "RR@10")
    content = json.loads(render_hybrid_tuning(tuning, "json"))
    assert content["use"] == {
        "weights": [1, 3], "late": 0, "feedback": 0,
        "options": "-s weights=1,3 -s late=0 -s feedback=0",
    }  # fmt: skip
    assert content["differences"][CURRENT]["finding"] == "better"
    assert len(content["tried"]) == len(tuning.tried)
    header, first, *_ = render_hybrid_tuning(tuning, "csv").splitlines()
    assert header == "settings,weight_of_words,weight_of_vectors,late,feedback,mean"
    assert first == "current search,4.0,1.0,1.0,5,0.5"
    for form in ("markdown", "table"):
        last = render_hybrid_tuning(tuning, form).splitlines()[-1]
        assert last == "Settings to use: -s weights=1,3 -s late=0 -s feedback=0"
