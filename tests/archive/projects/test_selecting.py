"""Which pairs a project has, and in which order."""

import pytest

from berryeval import Judgments, Run
from berryeval.archive.projects.records import PairSelection, ProjectPlan, plan_of
from berryeval.archive.projects.selecting import select_pairs
from berryeval.errors import ArgumentError

RUN_ID, OTHER_ID = "a" * 64, "b" * 64
RUNS = {
    "bm25": Run.from_lists({"q1": ["d1", "d2", "d3"], "q2": ["d4", "d5"]}),
    "dense": Run.from_lists({"q1": ["d3", "d1"], "q2": ["d4", "d6"]}),
}
JUDGED = Judgments.from_dict({"q1": {"d1": 2, "d2": 0}, "q2": {"d4": 1}})


def pairs(kind, *, runs=RUNS, baseline=None, judgments=JUDGED, **options):
    """Return the selected pairs as text."""
    ids = {} if not runs else {"runs": (RUN_ID,)}
    wanted = PairSelection(kind, baseline=baseline and OTHER_ID, **ids, **options)
    found = select_pairs(wanted, judgments, runs, {}, baseline=baseline)
    return [f"{one.query_id} {one.doc_id}" for one in found]


def test_holes_are_the_unjudged_documents():
    """The two of q2 could change nDCG more than the one of q1, whose best document is judged."""
    assert pairs("holes") == ["q2 d5", "q2 d6", "q1 d3"]
    assert [one[:2] for one in pairs("holes", limit=2)] == ["q2", "q1"]


def test_documents_at_the_same_ranks_do_not_decide():
    """With a baseline, the difference counts: d9 is at rank 1 of both."""
    runs = {
        "main": Run.from_lists({"q1": ["d9", "d1"], "q2": ["d4", "d5"]}),
        "new": Run.from_lists({"q1": ["d9", "d2"], "q2": ["d5", "d4"]}),
    }
    assert pairs("deciding", runs=runs, baseline="main") == ["q2 d5", "q1 d9"]


def test_depth_takes_judged_documents_as_well():
    """All documents within the depth are selected, a query's unjudged ones first."""
    assert pairs("depth", depth=1) == ["q1 d3", "q1 d1", "q2 d4"]
    assert len(pairs("depth")) == 6


def test_a_query_is_finished_before_the_next_one():
    """This holds even if the effects of its documents alternate with those of other queries."""
    found = [one.split()[0] for one in pairs("depth")]
    assert found == sorted(found, key=found.index)


def test_a_sample_is_drawn_by_its_seed():
    """It is drawn from the runs; without runs, from the judged pairs."""
    assert pairs("sample", limit=3) == pairs("sample", limit=3)
    assert len({tuple(pairs("sample", limit=3, seed=seed)) for seed in range(9)}) > 1
    assert {*pairs("sample", limit=9)} == {*pairs("depth")}
    assert {*pairs("sample", runs={}, limit=9)} == {"q1 d1", "q1 d2", "q2 d4"}


def test_ranks_and_effects_are_stored():
    """Judges who may see the systems see these ranks."""
    wanted = PairSelection("holes", (RUN_ID,))
    first, _, last = select_pairs(wanted, JUDGED, RUNS, {})
    assert last.ranks == {"bm25": 3, "dense": 1}
    assert first.effect > last.effect > 0


def test_a_selection_without_pairs_is_rejected():
    """The message says why there are none."""
    everything = Judgments.from_dict({"q1": dict.fromkeys(["d1", "d2", "d3"], 1),
                                      "q2": dict.fromkeys(["d4", "d5", "d6"], 1)})  # fmt: skip
    with pytest.raises(ArgumentError, match="everything in the top 10 of these runs is judged"):
        pairs("holes", judgments=everything)


def test_too_many_pairs_are_rejected(monkeypatch):
    """The message suggests a limit or a lower depth."""
    monkeypatch.setattr("berryeval.archive.projects.selecting.MAX_PAIRS", 2)
    with pytest.raises(ArgumentError, match="set a limit, or a lower depth"):
        pairs("depth")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"kind": "all"}, "kind"),
        ({"runs": ()}, "at least one run"),
        ({"runs": (RUN_ID,) * 51}, "at most 50"),
        ({"kind": "deciding"}, "baseline: expected a run"),
        ({"baseline": RUN_ID}, "none for 'holes'"),
        ({"kind": "deciding", "baseline": RUN_ID}, "besides the baseline"),
        ({"depth": 0}, "depth: expected a number from 1 to 1,000"),
        ({"limit": 10_001}, "limit"),
        ({"kind": "sample"}, "the size of the sample"),
    ],
)
def test_invalid_selections_are_rejected(fields, message):
    """The message names the field."""
    with pytest.raises(ArgumentError, match=message):
        PairSelection(**{"runs": (RUN_ID,)} | fields)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"n_opinions": 0}, "n_opinions"),
        ({"n_opinions": 3, "judges": ("ada", "bob")}, "at most 2, the number of judges"),
        ({"judges": ()}, "judges"),
        ({"judges": ("ada", "ada")}, "each once"),
        ({"guideline": ""}, "guideline"),
    ],
)
def test_invalid_plans_are_rejected(fields, message):
    """The message names the field."""
    with pytest.raises(ArgumentError, match=message):
        ProjectPlan(PairSelection(runs=(RUN_ID,)), **fields)


def test_a_plan_survives_json():
    """A plan read back from its stored JSON is equal."""
    import json
    from dataclasses import asdict

    plan = ProjectPlan(PairSelection("sample", limit=3), 2, ("ada", "bob"), guideline="Be fair.")
    assert plan_of(json.loads(json.dumps(asdict(plan)))) == plan
