"""Measures of reading: TBG, the U-measure and tokens, with the lengths of documents."""

import math

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import berryeval as be
from berryeval.cli import main
from berryeval.core.documents import Document, Documents
from berryeval.core.judgments import Judgments
from berryeval.core.lengths import SizedGrade, length_of
from berryeval.engine import _python
from berryeval.errors import ArgumentError, InputError, InputTypeError
from berryeval.evaluation.bounds import has_bounds
from berryeval.evaluation.holes import find_holes
from berryeval.evaluation.sources import load_judgments, load_run
from berryeval.measures import parse_measure, parse_measures

JUDGMENTS = {"q1": {"d1": 2, "d2": 0}, "q2": {"d3": 1}}
RUN = {"q1": {"d9": 3.0, "d1": 2.0, "d2": 1.0}, "q2": {"d8": 0.1, "d3": 0.2}}
OTHER = {"q1": {"d1": 3.0, "d2": 2.0, "d7": 1.0}, "q2": {"d8": 0.3, "d3": 0.2}}
LENGTHS = {"d1": 100, "d2": 300, "d3": 50, "d7": 10, "d8": 70, "d9": 1000}
NAMES = ["TBG", "TBG@1", "U", "tokens@2", "TBG(judged_only=True)", "tokens(judged_only=True)@1"]

sized_rankings = st.lists(
    st.tuples(st.sampled_from([-1.0, 0.0, 1.0, 2.0, 3.0]), st.integers(0, 900)), max_size=12
)


def graded(ranking):
    return [SizedGrade(grade, float(length)) for grade, length in ranking]


def test_time_passes_before_the_second_document():
    """It is a summary, and 0.39 of the 25.8 s that a document of 1,000 words takes."""
    seconds = 4.4 + 0.39 * (7.8 + 0.018 * 1000)
    result = be.evaluate(JUDGMENTS, RUN, "TBG", lengths=LENGTHS)["TBG"].by_query
    assert result["q1"] == pytest.approx(0.64 * 0.77 * 2 ** (-seconds / 224))
    assert result["q2"] == pytest.approx(0.64 * 0.77)


@given(sized_rankings, st.sampled_from([None, 1, 4]))
def test_time_biased_gain_by_the_formula_of_the_paper(ranking, k):
    """It is g D(T) with D(t) = exp(-t ln 2 / h), added up rank by rank."""
    gains = np.array([0.64 * 0.77 * (grade >= 1) for grade, _ in ranking[:k]])
    opened = np.array([0.64 if grade >= 1 else 0.39 for grade, _ in ranking[:k]])
    reading = 0.018 * np.array([length for _, length in ranking[:k]], float) + 7.8
    arrival = np.concatenate([[0.0], np.cumsum(4.4 + reading * opened)])[: len(gains)]
    expected = float(np.dot(gains, np.exp(-arrival * math.log(2) / 224)))
    measure = be.TBG(k)
    assert measure.score(graded(ranking), []) == pytest.approx(expected, rel=1e-12)


@given(sized_rankings, st.sampled_from([None, 3]), st.sampled_from([132_000, 700]))
def test_the_u_measure_by_a_trailtext(ranking, k, patience):
    """The text is laid out letter by letter, to see where each relevant document ends."""
    trail, total = "", 0.0
    for grade, length in ranking[:k]:
        trail += "s" * 20
        if grade > 0:
            trail += "d" * (length // 5)
            total += (2**grade - 1) / 2**3 * max(0, 1 - len(trail) / patience)
    measure = be.U(k, L=patience, snippet=20, read=0.2, max_grade=3)
    fifths = [(grade, length // 5 * 5) for grade, length in ranking]
    assert measure.score(graded(fifths), []) == pytest.approx(total, abs=1e-12)


def test_the_published_constants_are_the_defaults():
    """They are those of Smucker and Clarke (2012), and of Sakai and Dou (2013)."""
    assert be.TBG.defaults() == {
        "k": None, "rel": 1.0, "halflife": 224.0, "scan": 4.4, "page": 7.8, "pace": 0.018,
        "click": 0.64, "stray": 0.39, "save": 0.77, "judged_only": False,
    }  # fmt: skip
    assert str(parse_measure("U-measure(L=22000,snippet=33)@10")) == "U(L=22000,snippet=33)@10"
    assert parse_measure("TBG(halflife=60)@5") == be.TBG(5, halflife=60)
    assert str(be.tokens @ 5) == "tokens@5"
    with pytest.raises(be.MeasureSyntaxError, match="for click a number from 0 to 1"):
        parse_measure("TBG(click=1.5)")


def test_tokens_are_the_lengths_of_the_first_k():
    """Lower is better, and a query without documents has none."""
    result = be.evaluate(JUDGMENTS, RUN | {"q2": {}}, ["tokens@2", "tokens"], lengths=LENGTHS)
    assert result["tokens@2"].by_query == {"q1": 1100.0, "q2": 0.0}
    assert result["tokens"].by_query["q1"] == 1400.0
    assert not be.tokens.higher_is_better


def frames():
    import pandas as pd

    table = {"doc_id": [*LENGTHS], "tokens": [*LENGTHS.values()]}
    yield pd.DataFrame(table)
    pyarrow = pytest.importorskip("pyarrow")
    yield pyarrow.table(table)


def test_every_way_in_gives_the_same_scores(tmp_path):
    """Lengths come as a mapping, documents, a file, a frame, or in judgments, for both twins."""
    expected = be.evaluate(JUDGMENTS, RUN, NAMES, lengths=LENGTHS).to_dict()
    file, run = tmp_path / "lengths.tsv", tmp_path / "a.run"
    file.write_text("".join(f"{doc_id}\t{length}\n" for doc_id, length in LENGTHS.items()))
    rows = [(q, d, score) for q, ranking in RUN.items() for d, score in ranking.items()]
    run.write_text("".join(f"{q} Q0 {d} 1 {score} t\n" for q, d, score in rows))
    documents = Documents.of(Document(one, "", length=n) for one, n in LENGTHS.items())
    for lengths in (file, str(file), documents, *frames()):
        for source in (RUN, run, be.Run.from_dict(RUN)):
            assert be.evaluate(JUDGMENTS, source, NAMES, lengths=lengths).to_dict() == expected
    judged = Judgments.from_dict(JUDGMENTS).with_lengths(LENGTHS)
    assert be.evaluate(judged, RUN, NAMES).to_dict() == expected
    assert judged.of_queries(["q1"]).lengths == judged.lengths
    measures = [measure for name in NAMES for measure in parse_measures(name)]
    columns = _python.score(judged, load_run(RUN), measures).values  # noqa: PD011 - no frame
    assert [sum(column) / 2 for column in columns] == [*expected.values()]


def test_lengths_are_kept_ready_for_the_next_run():
    """A service that scores many runs looks them up in the same table."""
    judged = Judgments.from_dict(JUDGMENTS).with_lengths(LENGTHS)
    judged.is_kept_ready = True
    first = be.evaluate(judged, RUN, "TBG").to_dict()
    assert be.evaluate(judged, RUN, "TBG").to_dict() == first
    longer = judged.with_lengths(dict.fromkeys(LENGTHS, 5000))
    assert be.evaluate(longer, RUN, "TBG").to_dict() != first


def test_a_measure_without_lengths_says_how_to_give_them():
    """The message names the option and the argument."""
    with pytest.raises(InputError, match="TBG requires the lengths of documents, found none; pass"):
        be.evaluate(JUDGMENTS, RUN, ["nDCG@10", "TBG"])


@pytest.mark.parametrize(
    ("name", "lacking", "shown"),
    [
        ("tokens@2", ("d9", "d8"), "'d9' (query 'q1')"),
        ("tokens@3", ("d2",), "'d2' (query 'q1')"),
        ("TBG", ("d8",), "'d8' (query 'q2')"),
        ("U(judged_only=True)", ("d2", "d9"), "'d2' (query 'q1')"),
    ],
)
def test_the_first_document_without_a_length_is_named(tmp_path, name, lacking, shown):
    """It is the same one whether the run is in memory or in a file."""
    lengths = {doc_id: n for doc_id, n in LENGTHS.items() if doc_id not in lacking}
    run = tmp_path / "a.run"
    rows = [(q, d, score) for q, ranking in RUN.items() for d, score in ranking.items()]
    run.write_text("".join(f"{q} Q0 {d} 1 {score} t\n" for q, d, score in rows))
    for source in (RUN, run, be.Run.from_dict(RUN)):
        with pytest.raises(InputError) as error:
            be.evaluate(JUDGMENTS, source, name, lengths=lengths)
        assert str(error.value).endswith(f"that it looks at, found none for {shown}")
    assert be.evaluate(JUDGMENTS, RUN, "tokens@1", lengths={"d9": 1, "d3": 2})["tokens@1"].mean


@pytest.mark.parametrize(
    ("lengths", "error", "message"),
    [
        ({"d1": -1}, ArgumentError, "a number from 0 to 1e18"),
        ({"d1": math.inf}, ArgumentError, "a number from 0 to 1e18"),
        ({"d1": True}, InputTypeError, "bool"),
        ({"d1": "long"}, InputTypeError, "str"),
        (["d1"], InputTypeError, "a mapping from document id"),
        (Documents.of([Document("d1", "a")]), ArgumentError, "documents without a length"),
    ],
)
def test_lengths_are_checked(lengths, error, message):
    """A wrong length is found before anything is scored."""
    with pytest.raises(error, match=message):
        be.evaluate(JUDGMENTS, RUN, "TBG", lengths=lengths)


def test_a_frame_needs_both_columns_and_each_document_once():
    """The missing column is named."""
    import pandas as pd

    with pytest.raises(ArgumentError, match="a column 'length', got 'doc_id', 'size'"):
        be.evaluate(JUDGMENTS, RUN, "TBG", lengths=pd.DataFrame({"doc_id": ["d1"], "size": [1]}))
    twice = pd.DataFrame({"doc_id": ["d1", "d1"], "length": [1, 2]})
    with pytest.raises(ArgumentError, match="each document once"):
        be.evaluate(JUDGMENTS, RUN, "TBG", lengths=twice)


class Stream:
    """Provides an Arrow stream, and has no columns."""

    def __arrow_c_stream__(self, requested_schema=None):
        raise NotImplementedError


def test_a_stream_without_columns_is_refused():
    """Its columns cannot be accessed by name."""
    with pytest.raises(InputTypeError, match="a data frame with columns"):
        be.evaluate(JUDGMENTS, RUN, "TBG", lengths=Stream())


@pytest.mark.parametrize("name", ["TBG", "U@2", "tokens@2", "TBG(stray=0)"])
def test_contributions_add_up(name):
    """Moves of documents explain the difference; lengths count."""
    found = be.explain(JUDGMENTS, RUN, OTHER, "q1", name, lengths=LENGTHS)
    assert found.difference != 0
    assert math.fsum(move.contribution for move in found.moves) == pytest.approx(found.difference)
    scored = [
        be.evaluate(JUDGMENTS, run, name, lengths=LENGTHS)[name].by_query["q1"]
        for run in (RUN, OTHER)
    ]
    assert (found.before, found.after) == tuple(scored)


def test_tokens_are_shared_out_by_length():
    """A document that enters the first two costs its length, and one that leaves saves it."""
    found = be.explain(JUDGMENTS, RUN, OTHER, "q1", "tokens@2", lengths=LENGTHS)
    effects = {move.doc_id: move.contribution for move in found.moves}
    assert effects == {"d9": -1000.0, "d2": 300.0, "d1": 0.0}
    assert be.explain(JUDGMENTS, RUN, OTHER, None, "tokens@1", lengths=LENGTHS).query_id == "q2"
    with pytest.raises(InputError, match="found none for 'd9'"):
        be.explain(JUDGMENTS, RUN, OTHER, "q1", "tokens@2", lengths={"d1": 1})


def test_unjudged_documents_leave_no_bounds():
    """They are not queued by their effect on such measures, either."""
    assert not any(has_bounds(parse_measure(name)) for name in ("TBG", "U", "tokens@5"))
    judged = load_judgments(JUDGMENTS, lengths=LENGTHS)
    with pytest.raises(ArgumentError, match="no measure of lengths"):
        find_holes(judged, {"a": load_run(RUN)}, [be.TBG()])


def test_a_grade_without_a_length_has_none():
    """Kernels then return NaN, which the engine turns into an error."""
    assert math.isnan(length_of(1.0))
    for name in ("TBG", "U", "tokens"):
        assert math.isnan(parse_measure(name).score([1.0], [1.0]))


def run_cli(*arguments):
    return CliRunner().invoke(main, [*arguments], prog_name="berryeval")


def written(tmp_path):
    """Write judgments, two runs and lengths of 60 queries, the second run with longer documents."""
    ids = [f"q{i:02}" for i in range(60)]
    (tmp_path / "qrels").write_text("".join(f"{q} 0 d{i} 1\n" for i, q in enumerate(ids)))
    for name, first in (("short", ""), ("long", "x")):
        lines = [f"{q} Q0 d{i} 1 2 t\n{q} Q0 {first}e{i} 2 1 t\n" for i, q in enumerate(ids)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    lengths = {f"d{i}": 100 for i in range(60)} | {f"e{i}": 50 + i for i in range(60)}
    lengths |= {f"xe{i}": 100 + 2 * i for i in range(60)}
    (tmp_path / "lengths.csv").write_text(
        "doc_id,length\n" + "".join(f"{d},{n}\n" for d, n in lengths.items())
    )


def test_the_command_line_gives_the_scores_of_python(tmp_path, monkeypatch):
    """evaluate, compare and explain take --lengths."""
    written(tmp_path)
    monkeypatch.chdir(tmp_path)
    expected = be.evaluate("qrels", "short.run", ["tokens@2", "TBG"], lengths="lengths.csv")
    options = ["--lengths", "lengths.csv"]
    found = run_cli("evaluate", "qrels", "short.run", "-m", "tokens@2", "-m", "TBG", *options)
    assert f"{expected['tokens@2'].mean:.4f}" in found.stdout
    assert f"{expected['TBG'].mean:.4f}" in found.stdout
    compared = run_cli("compare", "qrels", "short.run", "long.run", "-m", "tokens@2", *options)
    assert "long.run is worse than short.run" in compared.stdout
    explained = run_cli("explain", "qrels", "short.run", "long.run", "-m", "tokens@2", *options)
    assert "xe" in explained.stdout
    refused = run_cli("evaluate", "qrels", "short.run", "-m", "TBG")
    assert refused.exit_code == 2
    assert "pass them with --lengths FILE" in refused.stderr


def test_a_gate_guards_tokens_and_quality_together(tmp_path, monkeypatch):
    """The verdict is the same from berryeval.toml, from options, and from Python."""
    written(tmp_path)
    monkeypatch.chdir(tmp_path)
    named = ["--judgments", "qrels", "--run", "long.run", "--baseline", "short.run"]
    guards = ["--margin", "nDCG@10=0.05", "--margin", "tokens@2=10%"]
    found = run_cli("gate", *named, *guards, "--lengths", "lengths.csv")
    assert found.exit_code == 1
    assert "tokens@2 rises by less than 10%" in found.stdout
    (tmp_path / "berryeval.toml").write_text(
        'judgments = "qrels"\nrun = "long.run"\nbaseline = "short.run"\nlengths = "lengths.csv"\n'
        '[[gate.guard]]\nmeasure = "nDCG@10"\nmargin = 0.05\n'
        '[[gate.guard]]\nmeasure = "tokens@2"\nmargin = "10%"\n'
    )
    assert run_cli("gate").stdout == found.stdout
    comparison = be.compare(
        "qrels",
        {"baseline": "short.run", "candidate": "long.run"},
        ["nDCG@10", "tokens@2"],
        lengths="lengths.csv",
        bounds=True,
    )
    decided = be.gate(comparison, margin={"nDCG@10": 0.05, "tokens@2": "10%"})
    assert [guard.verdict for guard in decided.guards] == ["pass", "fail"]
