"""The library behind the command."""

import pytest

from berryeval.trec_eval import Options, iter_scores, read_judgments, read_names, read_run
from berryeval.trec_eval.names import explain
from berryeval.trec_eval.own_scores import interpolated_from_below

EVERYTHING = read_names(["all_trec", "all_prefs", "qrels_jg", "yaap", "dcg", "ideal_dcg"], "10.0")


@pytest.mark.parametrize("name", EVERYTHING)
def test_every_measure_is_explained(name):
    """Each has a sentence or two, for -h."""
    assert explain(name).endswith(".")


def test_scores_have_all_their_digits(tmp_path):
    """They are by query and printed name, in query order; geometric means are logarithms."""
    (tmp_path / "qrels").write_text("q2 0 a 1\nq1 0 a 1\nq1 0 b 1\nq1 0 c 1\nq3 0 a 1\n")
    (tmp_path / "run").write_text("q1 0 a 1 1 t\nq2 0 b 1 2 t\nq2 0 a 1 1 t\n")
    judgments = read_judgments(str(tmp_path / "qrels"), "9.0.8")
    run = read_run(str(tmp_path / "run"), "9.0.8")
    names = read_names(["map", "gm_map", "P.3"], "9.0.8")
    assert list(iter_scores(judgments, run, names, Options())) == [
        (b"q1", {"map": 1 / 3, "gm_map": pytest.approx(-1.0986122886681098), "P_3": 1 / 3}),
        (b"q2", {"map": 0.5, "gm_map": pytest.approx(-0.6931471805599453), "P_3": 1 / 3}),
    ]


RANKING = [0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ("points", "rounding", "expected"),
    [
        ([0.0, 0.25, 0.5, 0.75, 1.0], "up", [0.0, 3 / 7, 0.5, 0.5, 0.5]),
        ([0.4], "up", [0.5]),  # 1.6 of four relevant documents are 2
        ([0.3], "nearest", [0.5]),  # 1.2 are 1
        ([0.6], "up", [3 / 7]),  # 2.4 are 3
        ([0.6], "nearest", [0.5]),  # 2.4 are 2
        ([0.625], "nearest", [3 / 7]),  # 2.5 are 3
        ([-0.5, 1.0], "up", [0.0, 0.5]),
        ([-0.1], "nearest", [0.5]),
        ([0.75, 0.25], "up", [0.5, 0.5]),  # 1 waits for its turn, after which 3 has passed
        ([1.0, 0.5], "up", [0.5, 0.5]),  # 4 is never reached, but is not the last of them either
    ],
)
def test_precision_from_below_is_the_best_from_a_recall_point_on(points, rounding, expected):
    """For ranks 2, 4 and 7 of four relevant ones: 1/2, 2/4 and 3/7; the last point comes first."""
    values = interpolated_from_below(RANKING, [1.0, 1.0, 1.0, 1.0, 0.0], points, 1, rounding)
    assert values == expected


def test_precision_from_below_stops_when_everything_is_found():
    """At level -1 the document without a grade is reached and counted first."""
    assert interpolated_from_below([1.0, 1.0, -1.0], [1.0, 1.0], [0.5, 1.0], -1, "up") == [
        2 / 3,
        2 / 3,
    ]
    assert interpolated_from_below([], [1.0], [0.0, 1.0], 1, "up") == [0.0, 0.0]
