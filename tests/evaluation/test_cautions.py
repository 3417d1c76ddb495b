"""Cautions about reversed, contradictory or constant scores, in one line."""

import itertools
import json
import random

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from click.testing import CliRunner

import berryeval as be
from berryeval.cli import main
from berryeval.core.run import Run
from berryeval.core.score_order import cautions_of
from berryeval.formats import read_run, write_run
from berryeval.golden import handbook
from berryeval.suite.demo import RECORDED

DEPTH = 10
N_QUERIES = 40
JUDGMENTS = {f"q{i}": {"d1": 1, "d3": 1} for i in range(N_QUERIES)}

REVERSED = "scores rise from the first document to the last"
CONTRADICTING = "ranks contradict the scores"
TIED = "all scores are equal"


def lines(score, *, depth=DEPTH, rank=lambda position: position):
    """Return a TREC run whose scores depend on position and query."""
    return "".join(
        f"q{query} Q0 d{position} {rank(position)} {score(position, query)} t\n"
        for query in range(N_QUERIES)
        for position in range(1, depth + 1)
    )


def found(text, tmp_path):
    """Return the cautions of an evaluation of a TREC file."""
    path = tmp_path / "a.run"
    path.write_text(text)
    return be.evaluate(JUDGMENTS, path, "RR").cautions


def test_distances_are_detected(tmp_path):
    """The best rank has the lowest score."""
    (caution,) = found(lines(lambda position, _: position * 0.1), tmp_path)
    assert caution.startswith(f"{REVERSED} in 40 of the 40 queries checked, as distances do")


def test_ranks_that_contradict_the_scores_are_detected(tmp_path):
    """A reranker's order may be combined with the scores of the first stage."""
    numbers = random.Random(1)  # noqa: S311
    (caution,) = found(lines(lambda *_: numbers.random()), tmp_path)
    assert caution.startswith(f"{CONTRADICTING} in ")


def test_equal_scores_are_detected(tmp_path):
    """Document ids would decide the order."""
    (caution,) = found(lines(lambda *_: 1), tmp_path)
    assert caution == (
        "all scores are equal in 40 of the 40 queries checked; only document ids decide the order"
    )


@pytest.mark.parametrize(
    ("score", "options"),
    [
        (lambda position, _: 1 / position, {}),
        (lambda position, _: -position, {}),
        (lambda position, _: 1 / (60 + position // 2), {}),  # RRF: pairs of ties
        (lambda position, query: 1 if query % 3 == 0 else -position, {}),  # a third is constant
        (lambda position, query: position if query == 0 else -position, {}),
        (lambda position, _: -position, {"rank": lambda _: 0}),  # constant ranks
        (lambda position, _: -position, {"rank": lambda position: position - 1}),
        (lambda position, _: -position, {"rank": lambda _: "-"}),
        (lambda *_: 1, {"depth": 1}),
        (lambda position, _: float("inf") if position == 1 else -position, {}),
        # ranks that differ only within ties
        (
            lambda position, _: -((position + 1) // 2),
            {"rank": lambda position: position + 1 if position % 2 else position - 1},
        ),
    ],
)
def test_valid_runs_cause_no_caution(tmp_path, score, options):
    """Ties, constant ranks, single documents and unusual queries are allowed."""
    assert found(lines(score, **options), tmp_path) == ()


def test_random_order_without_ranks_causes_no_caution():
    """An example is a dict in the order of its ids."""
    for seed in range(50):
        numbers = random.Random(seed)  # noqa: S311
        run = {q: {f"d{i}": numbers.random() for i in range(DEPTH)} for q in JUDGMENTS}
        assert be.evaluate(JUDGMENTS, run, "RR").cautions == ()


def test_one_constant_query_at_the_start_causes_no_caution(tmp_path):
    """A suspicion is checked with many queries first."""
    text = lines(lambda position, query: 1 if query == 0 else -position, depth=1000)
    assert found(text, tmp_path) == ()


FORMATS = ["a.run", "a.run.gz", "a.jsonl", "a.csv", "a.tsv.gz", "a.parquet", "a.arrow", "a.json"]


def write_ranked(path, rows):
    """Write a run with ranks, in the order of rows if the format allows it."""
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "rank", "score"])
    if ".run" in path.name:
        frame.insert(1, "q0", "Q0")
        frame["tag"] = "t"
        frame.to_csv(path, sep=" ", header=False, index=False)
    elif path.suffix == ".parquet":
        frame.to_parquet(path)
    elif path.suffix == ".arrow":
        frame.to_feather(path)
    elif path.suffix == ".jsonl":
        frame.to_json(path, orient="records", lines=True)
    elif path.suffix == ".json":
        run = {q: dict(zip(f.doc_id, f.score, strict=True)) for q, f in frame.groupby("query_id")}
        path.write_text(json.dumps(run))
    else:
        frame.to_csv(path, sep="\t" if ".tsv" in path.name else ",", index=False)
    return path


@pytest.mark.parametrize("depth", [3, DEPTH])
@pytest.mark.parametrize("name", FORMATS)
def test_distances_are_detected_in_every_format(tmp_path, name, depth):
    """Ranks are used, or the order of rows, even for short rankings."""
    rows = [(q, f"d{i}", i, i / 2) for q in JUDGMENTS for i in range(1, depth + 1)]
    path = write_ranked(tmp_path / name, rows)
    for cautions in (be.evaluate(JUDGMENTS, path, "RR").cautions, read_run(path).find_cautions()):
        assert [caution.partition(" in ")[0] for caution in cautions] == [REVERSED]
    assert f"Caution {REVERSED}" in inspected(path)


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "a.json"])
def test_contradictory_ranks_are_detected_in_every_format_with_ranks(tmp_path, name):
    """A column named rank is used in any format."""
    numbers = random.Random(1)  # noqa: S311
    rows = [(q, f"d{i}", i, numbers.random()) for q in JUDGMENTS for i in range(1, DEPTH + 1)]
    path = write_ranked(tmp_path / name, rows)
    for cautions in (be.evaluate(JUDGMENTS, path, "RR").cautions, read_run(path).find_cautions()):
        assert [caution.partition(" in ")[0] for caution in cautions] == [CONTRADICTING]
    assert f"Caution {CONTRADICTING}" in inspected(path)


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "a.json"])
def test_ranks_take_precedence_over_the_order_of_rows(tmp_path, name):
    """A file sorted by ascending score is valid if its ranks are."""
    rows = [(q, f"d{i}", DEPTH + 1 - i, i / 2) for q in JUDGMENTS for i in range(1, DEPTH + 1)]
    path = write_ranked(tmp_path / name, rows)
    assert be.evaluate(JUDGMENTS, path, "RR").cautions == ()
    assert read_run(path).find_cautions() == ()
    assert "Caution" not in inspected(path)


@pytest.mark.parametrize("command", ["evaluate", "compare", "gate"])
def test_standard_input_is_checked(tmp_path, monkeypatch, command):
    """It can be read only once, so it is checked while it is read."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("".join(f"{q} 0 d3 1\n" for q in JUDGMENTS))
    (tmp_path / "b.run").write_text(lines(lambda position, _: -position))
    arguments = {
        "evaluate": ["evaluate", "qrels", "-"],
        "compare": ["compare", "qrels", "b.run", "-"],
        "gate": ["gate", "--judgments", "qrels", "--run", "-", "--at-least", "RR=0.1"],
    }[command]
    numbers = random.Random(1)  # noqa: S311
    text = lines(lambda *_: numbers.random())
    message = CliRunner().invoke(main, arguments, input=text).output
    assert message.count(CONTRADICTING) == 1


def inspected(path):
    """Return the output of `berryeval inspect` on one line."""
    message = CliRunner().invoke(main, ["inspect", "--kind", "run", str(path)])
    return " ".join(message.output.split())


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_short_rankings_in_random_order_cause_no_caution(depth):
    """All of many rankings would have to rise."""
    for seed in range(100):
        numbers = random.Random(seed)  # noqa: S311
        run = {q: {f"d{i}": numbers.random() for i in range(depth)} for q in JUDGMENTS}
        assert be.evaluate(JUDGMENTS, run, "RR").cautions == ()
    few = {q: {"d1": 0.1, "d2": 0.2} for q in [*JUDGMENTS][:6]}
    assert be.evaluate(JUDGMENTS, few, "RR").cautions == ()


def test_dicts_frames_and_runs_are_checked():
    """Python inputs are checked like files; a list has no scores."""
    rising = {q: {f"d{i}": float(i) for i in range(DEPTH)} for q in JUDGMENTS}
    rows = [(q, d, s) for q, scores in rising.items() for d, s in scores.items()]
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    for source in (
        rising,
        Run.from_dict(rising),
        frame,
        pl.DataFrame(rows, schema=[*frame.columns], orient="row"),
        pa.table(
            {
                name: [*column]
                for name, column in zip(frame.columns, zip(*rows, strict=True), strict=True)
            }
        ),
    ):
        (caution,) = be.evaluate(JUDGMENTS, source, "RR").cautions
        assert caution.startswith(REVERSED), type(source)
    assert be.evaluate(JUDGMENTS, {q: [*d] for q, d in rising.items()}, "RR").cautions == ()


def test_a_rank_column_takes_precedence_over_the_order_of_rows():
    """A frame sorted by ascending score is valid if its ranks are."""
    rows = [(q, f"d{i}", float(i), DEPTH - i) for q in JUDGMENTS for i in range(DEPTH)]
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "score", "rank"])
    assert be.evaluate(JUDGMENTS, frame, "RR").cautions == ()


def test_the_repr_of_an_evaluation_shows_a_caution():
    """Users of notebooks see it."""
    rising = {q: {f"d{i}": float(i) for i in range(DEPTH)} for q in JUDGMENTS}
    assert f"\nCaution: {REVERSED}" in repr(be.evaluate(JUDGMENTS, rising, "RR"))


def test_evaluate_and_inspect_show_the_caution_in_one_line(tmp_path, monkeypatch):
    """It names the run, and is also in JSON."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.run").write_text(lines(lambda position, _: position))
    (tmp_path / "qrels").write_text("".join(f"{q} 0 d3 1\n" for q in JUDGMENTS))
    message = CliRunner().invoke(main, ["evaluate", "qrels", "a.run"]).output.splitlines()
    assert [line for line in message if line.startswith(f"Caution: a.run: {REVERSED}")]
    inspected = CliRunner().invoke(main, ["inspect", "a.run"]).output
    assert f"Caution {REVERSED}" in " ".join(inspected.split())
    as_json = json.loads(CliRunner().invoke(main, ["evaluate", "qrels", "a.run", "--json"]).output)
    assert as_json["runs"][0]["notes"][0].startswith(f"Caution: {REVERSED}")
    as_json = json.loads(CliRunner().invoke(main, ["inspect", "a.run", "--json"]).output)
    assert as_json["files"][0]["cautions"][0].startswith(REVERSED)


def test_an_empty_run_causes_no_caution():
    """It has no scores."""
    assert cautions_of(lambda _limit: ()) == ()


def test_only_the_start_of_a_valid_file_is_read():
    """A hundred rows are enough for any length."""
    seen = []

    def rows(limit):
        for row in range(1_000_000):
            seen.append(limit)
            yield row // 10, row % 10, -float(row % 10)

    assert cautions_of(rows) == ()
    assert len(seen) <= 100


def test_a_gate_shows_cautions_last():
    """Both runs are named, in every interface that shows the sentence."""
    rising = {q: {f"d{i}": float(i) for i in range(DEPTH)} for q in JUDGMENTS}
    sound = {q: {f"d{i}": -float(i) for i in range(DEPTH)} for q in JUDGMENTS}
    for missing in ("zero", "skip"):
        runs = {"baseline": sound, "candidate": dict([*rising.items()][1:])}
        result = be.gate(be.compare(JUDGMENTS, runs, "RR", missing=missing), margin=0.9)
        assert f" Caution: in the candidate, {REVERSED} in " in result.sentence
        assert result.sentence.count("Caution") == 1
    alone = be.gate(be.evaluate(JUDGMENTS, rising, "RR"), at_least={"RR": 0.1})
    assert f" Caution: in the run, {REVERSED} in 40 of the 40" in alone.sentence


def test_ids_of_another_set_are_a_caution():
    """Zeros would blame the search for names; a bad search that is judged gets no caution."""
    judgments = {"q1": {"a.md": 1, "b.md": 0}}
    found = be.evaluate(judgments, {"q1": ["docs/a.md", "docs/c.md"]}, ["nDCG@10", "RR"])
    assert found.cautions == (
        "every score is 0; check that the run has the document ids of the judgments, such as "
        "'a.md', 'b.md'",
    )
    assert be.evaluate(judgments, {"q1": ["b.md"]}, "RR").cautions == ()
    assert be.evaluate(judgments, {"q1": ["x", "a.md"]}, "RR").cautions == ()
    assert be.evaluate({"q1": {"a.md": 0}}, {"q1": ["x"]}, "RR").cautions == ()


def answers(n_queries, corpus, depth=10):
    """Return a run that shows the same documents again and again, the right one for its query."""
    ids = [f"d{i}.md" for i in range(corpus)]
    run = {
        f"q{n:02}": [ids[(n * 7 + step) % corpus] for step in range(depth)]
        for n in range(n_queries)
    }
    return {query_id: {ranking[0]: 1} for query_id, ranking in run.items()}, run


OTHER_NAMES = {
    "chunks": lambda doc_id: f"{doc_id}#3",
    "a prefix": lambda doc_id: f"docs/{doc_id}",
    "another name": lambda doc_id: doc_id.replace("d", "e"),
}


@pytest.mark.parametrize("name", OTHER_NAMES)
def test_unknown_ids_in_a_third_of_the_queries_are_a_caution(name, tmp_path):
    """Such queries score 0 whatever the search does; the caution has examples of both sides."""
    judgments, run = answers(30, corpus=40)
    for query_id in [*judgments][::3]:
        judgments[query_id] = {OTHER_NAMES[name](one): 1 for one in judgments[query_id]}
    [caution] = be.evaluate(judgments, run, "nDCG@10").cautions
    first = OTHER_NAMES[name]("d0.md")
    assert caution.startswith(
        "10 of 30 queries have no relevant document that the run returns for any query; "
        f"check their document ids, such as '{first}', "
    )
    assert caution.endswith(" in the judgments and 'd0.md', 'd1.md', 'd2.md' in the run")
    path = tmp_path / "a.run"
    write_run(be.Run.from_lists(run), path)
    assert be.evaluate(judgments, path, "nDCG@10").cautions[-1].startswith("10 of 30 queries have")
    compared = be.compare(judgments, {"old": run, "new": run}, "nDCG@10")
    assert sum("10 of 30 queries have no relevant" in note for note in compared.notes) == 2
    sentence = be.gate(compared, margin=0.9).sentence
    assert sentence.count("Caution") == 1
    assert "Caution: in old and new, 10 of 30" in sentence
    assert "Caution: in the run, 10 of 30" in be.gate(
        be.evaluate(judgments, run, "nDCG@10"), at_least={"nDCG@10": 0.1}
    ).sentence  # fmt: skip


def test_documents_that_were_only_missed_are_no_caution():
    """A run of few documents of a large collection lacks most of them, under any name."""
    judgments, run = answers(30, corpus=10_000)
    for number, query_id in enumerate([*judgments][::3]):
        judgments[query_id] = {f"d{9_000 + number}.md": 1}
    assert be.evaluate(judgments, run, "nDCG@10").cautions == ()
    for number, query_id in enumerate([*judgments][::3]):
        judgments[query_id] = {f"d{9_000 + number}.md#1": 1}  # of another form than all answers
    [caution] = be.evaluate(judgments, run, "nDCG@10").cautions
    assert caution.startswith("10 of 30 queries have no relevant document")
    # A few queries are no caution, nor are relevant documents that other queries find.
    judgments, run = answers(30, corpus=40)
    judgments |= {"q00": {"docs/d0.md": 1}, "q01": {"docs/d1.md": 1}}
    assert be.evaluate(judgments, run, "nDCG@10").cautions == ()
    judgments, run = answers(30, corpus=40)
    third = [*judgments][::3]
    judgments |= {one: judgments[other] for one, other in itertools.pairwise(third)}
    assert be.evaluate(judgments, {q: r[:1] for q, r in run.items()}, "RR").cautions == ()


LOOKS = {
    "a prefix": lambda doc_id: f"doc_{doc_id}",
    "a prefix of letters": lambda doc_id: f"x{doc_id}",
    "chunks": lambda doc_id: f"{doc_id}#1",
}


def large_set(n_queries=50, depth=20):
    """Return judgments of relevant documents, and a run that finds half of them."""
    judgments, run = {}, {}
    for n in range(n_queries):
        relevant = [f"FT{(n * 31 + step * 7) % 4000:05}" for step in range(10)]
        others = [f"FT{(n * 57 + step * 101 + 3) % 4000:05}" for step in range(depth)]
        judgments[f"q{n:02}"] = dict.fromkeys(relevant, 1)
        run[f"q{n:02}"] = [*dict.fromkeys([*relevant[:5], *others])][:depth]
    return judgments, run


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("n_renamed", [17, 49])
def test_other_ids_in_some_queries_of_a_run_are_a_caution(look, n_renamed):
    """Their relevant documents occur for other queries, so that each query is compared alone."""
    judgments, run = large_set()
    for query_id in [*run][:n_renamed]:
        run[query_id] = [LOOKS[look](doc_id) for doc_id in run[query_id]]
    [caution] = be.evaluate(judgments, run, "nDCG@10").cautions
    assert caution.startswith(
        f"{n_renamed} of 50 queries: none of their results is judged for any query; their ids, "
        f"such as '{run['q00'][0]}', '{run['q01'][0]}', '{run['q02'][0]}', look different from "
        "those of the judgments, such as 'FT00000', "
    )
    compared = be.compare(judgments, {"old": large_set()[1], "new": run}, "nDCG@10")
    assert any(note.startswith(f"Caution: new: {n_renamed} of 50") for note in compared.notes)
    assert f"Caution: in new, {n_renamed} of 50 queries: " in be.gate(compared, margin=0.9).sentence


def test_weak_queries_are_no_other_ids():
    """Some queries without any judged document have ids like all others, or too few to tell."""
    judgments, run = large_set()
    for n, query_id in enumerate([*run][:20]):
        run[query_id] = [f"GX{n:03}{step:02}" for step in range(20)]  # a part that is not judged
    assert be.evaluate(judgments, run, "nDCG@10").cautions == ()
    for n, query_id in enumerate([*run][:20]):
        run[query_id] = [f"a-{n:03}{step:02}" for step in range(20)]
    run["q30"] = [*run["q30"][:-1], "a-1"]  # another query has such ids, too
    assert be.evaluate(judgments, run, "nDCG@10").cautions == ()
    few = {f"q{n}": {f"{name}.md": 1} for n, name in enumerate("abcdef")}
    weak = {query_id: [*grades] for query_id, grades in few.items()}
    weak |= {f"q{n}": [f"on-{n}.md"] for n in range(3)}
    assert be.evaluate(few, weak, "nDCG@10").cautions == ()


@pytest.mark.parametrize("depth", [1, 3, 5, 10])
def test_real_runs_have_no_caution(depth):
    """Neither with all judgments, nor with one relevant document per query."""
    golden = handbook()
    known = golden.judgments.to_dict()
    single = {query: {max(grades, key=grades.get): 1} for query, grades in known.items()}
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    for rankings in (one for of_system in recorded.values() for one in of_system.values()):
        cut = {query: ranking[:depth] for query, ranking in rankings.items()}
        for judgments in (known, single):
            assert be.evaluate(judgments, cut, ["nDCG@10", "RR"]).cautions == ()


def test_a_search_that_returns_nothing_is_reported_as_such():
    """There are no document ids to compare."""
    judgments, run = answers(30, corpus=40)
    nothing = {query_id: [] for query_id in run}
    caution = "the search returned no documents for any query"
    assert be.evaluate(judgments, nothing, "nDCG@10").cautions == (caution,)
    decided = be.gate(be.compare(judgments, {"old": run, "new": nothing}, "nDCG@10"), margin=0.1)
    assert decided.sentence.endswith(f" Caution: in new, {caution}.")
