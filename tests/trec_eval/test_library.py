"""What the command is made of."""

import pytest

from berryeval.trec_eval import Options, iter_scores, read_judgments, read_names, read_run
from berryeval.trec_eval.explanations import explain
from berryeval.trec_eval.from_below import interpolated_from_below

EVERYTHING = read_names(["all_trec", "all_prefs", "qrels_jg", "yaap", "dcg", "ideal_dcg"], "10.0")


@pytest.mark.parametrize("name", EVERYTHING)
def test_every_measure_is_explained(name):
    """In a sentence or two, for -h."""
    assert explain(name).endswith(".")


def test_scores_come_with_all_their_digits(tmp_path):
    """By query and printed name, in the order of queries; a geometric mean's are logarithms."""
    (tmp_path / "qrels").write_text("q2 0 a 1\nq1 0 a 1\nq1 0 b 1\nq1 0 c 1\nq3 0 a 1\n")
    (tmp_path / "run").write_text("q1 0 a 1 1 t\nq2 0 b 1 2 t\nq2 0 a 1 1 t\n")
    judgments = read_judgments(str(tmp_path / "qrels"), "9.0.8")
    run = read_run(str(tmp_path / "run"), "9.0.8")
    names = read_names(["map", "gm_map", "P.3"], "9.0.8")
    assert list(iter_scores(judgments, run, names, Options())) == [
        (b"q1", {"map": 1 / 3, "gm_map": pytest.approx(-1.0986122886681098), "P_3": 1 / 3}),
        (b"q2", {"map": 0.5, "gm_map": pytest.approx(-0.6931471805599453), "P_3": 1 / 3}),
    ]


def test_recall_points_below_0_are_rounded_away_from_it_in_10():
    """Half a document less than none is one less; both are reached at the top."""
    for rounding in ("up", "nearest"):
        assert interpolated_from_below([1.0, 0.0], [1.0], [-0.5, 1.0], 1, rounding) == [1.0, 1.0]
