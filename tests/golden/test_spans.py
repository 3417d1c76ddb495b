"""Golden sets that judge spans of documents, which stay valid if the chunking changes."""

import json
import re
from itertools import permutations

import pytest
from click.testing import CliRunner
from hypothesis import assume, given
from hypothesis import strategies as st

import berryeval as be
from berryeval.cli import main
from berryeval.errors import FormatError, MismatchError
from berryeval.evaluation.evaluate import evaluate
from berryeval.golden import read_golden_set
from berryeval.golden.check import check_golden_set
from berryeval.search.chunking import (
    Chunk,
    SpanJudgment,
    by_heading,
    by_paragraph,
    by_size,
    credit_spans,
    judge_spans,
    match_spans,
)
from berryeval.search.systems.embedded import Embedded
from berryeval.search.systems.function import Function
from berryeval.suite.quality import run_quality
from small_golden_set import GUIDE, TUNING, write_golden_set

MEASURES = ("nDCG@10", "nDCG@3", "AP", "RR@10", "P@5", "R@10", "R-precision", "ERR@10", "F1@5")
TEXTS = {"guide.md": GUIDE, "tuning.md": TUNING}


def span(document, passage, grade=None):
    """Return a judgment of the position of a passage."""
    start = TEXTS[document].index(passage)
    found = {"document": document, "start": start, "end": start + len(passage)}
    return found if grade is None else {**found, "grade": grade}


REGISTER = span("guide.md", "Register a client, and configure OAuth with its secret.", 3)
EXPIRES = span("guide.md", "An OAuth token expires after one hour.", 1)
SLOW = span("tuning.md", "Slow searches need an index on the table.", 3)
FASTER = span("tuning.md", "Make searches faster.", 2)
BLANK = GUIDE.index("\n## Configure")
JUDGED = [
    {"query_id": "Q1", "relevant": [REGISTER, EXPIRES],
     "not_relevant": [span("tuning.md", "Ripe bananas are yellow.")]},
    {"query_id": "Q2", "relevant": [SLOW, FASTER]},
]  # fmt: skip


def span_id(entry):
    return f"{entry['document']}@{entry['start']}-{entry['end']}"


@pytest.fixture
def folder(tmp_path):
    return write_golden_set(tmp_path / "spans", JUDGED)


def with_judgments(folder, *relevant, query_id="Q1", not_relevant=()):
    entry = {"query_id": query_id, "relevant": relevant, "not_relevant": list(not_relevant)}
    write_golden_set(folder, [entry, JUDGED[1]])
    return folder


def test_spans_are_read_and_identified_by_position(folder):
    """Grades, the primary span, and spans judged irrelevant are read."""
    golden = read_golden_set(folder)
    assert golden.relevant_of("Q1") == (span_id(REGISTER), span_id(EXPIRES))
    assert golden.judged[0].spans[0] == SpanJudgment(
        "Q1", "guide.md", REGISTER["start"], REGISTER["end"], 3
    )
    grades = golden.judgments.to_dict()["Q1"]
    assert grades[span_id(REGISTER)] == 3
    assert grades["guide.md#configure-oauth"] == 0  # its grade is that of the span
    assert grades["tuning.md#bananas"] == 0
    assert (golden.n_judgments, check_golden_set(folder).counts["judgments"]) == (5, 5)
    assert repr(golden).endswith("5 judgments>")
    assert be.read_judgments(folder / "relevance-judgments.json").to_dict()["Q2"] == {
        span_id(SLOW): 3,
        span_id(FASTER): 2,
    }


def test_a_chunk_is_credited_with_the_span_it_covers(folder):
    """X5: the suite scores chunks as if the system had returned the spans."""
    answers = {
        "configure OAuth": ["tuning.md#bananas", "guide.md#configure-oauth"],
        "why are slow searches slow": ["tuning.md#slow-searches", "tuning.md#tuning"],
    }
    golden = read_golden_set(folder)
    result = run_quality(Function(lambda query, _k: answers[query]), golden)
    assert result.query_results[0].retrieved == ("tuning.md#bananas", span_id(REGISTER))
    assert result.report.mrr == pytest.approx((1 / 2 + 1) / 2)
    assert result.report.recall_at_10 == pytest.approx((1 / 2 + 1) / 2)
    assert result.gate.evaluation["nDCG@10"].holes == 0
    assert result.unknown == ()
    scored = be.evaluate_system(
        lambda query, _k: answers[query], golden.queries, ks=[5], judgments=golden
    )
    assert scored.summary.mean_recall == {5: 0.75}
    assert [one.result_count for one in scored.results] == [2, 2]


@pytest.mark.parametrize("chunks", ["heading", "paragraph", "size"])
def test_another_chunking_does_not_change_the_set(folder, chunks):
    """There are no errors, and best means and hash are equal."""
    usual, golden = read_golden_set(folder), read_golden_set(folder, chunks=chunks)
    check = check_golden_set(golden)
    assert check.errors == ()
    assert check.ceilings == check_golden_set(usual).ceilings
    assert golden.content_hash == usual.content_hash
    with Embedded("bm25") as system:
        result = run_quality(system, golden)
    assert result.report.mrr == 1
    assert all(0 <= measured.mean <= 1 for measured in result.gate.evaluation.values())


def test_the_hash_changes_with_text_and_grades(folder):
    """It covers everything that affects scores."""
    before = read_golden_set(folder).content_hash
    other = with_judgments(folder, {**REGISTER, "grade": 2}, EXPIRES)
    assert read_golden_set(other).content_hash != before
    write_golden_set(folder, JUDGED)
    assert read_golden_set(folder).content_hash == before
    path = folder / "test-documents" / "guide.md"
    path.write_text(path.read_text() + "\nMore.\n")
    assert read_golden_set(folder).content_hash != before


def test_the_hash_depends_on_the_chunking_if_a_chunk_is_judged(folder, tmp_path):
    """One judgment of a chunk is enough."""
    chunk = {"query_id": "Q2", "relevant": [{"chunk_id": "c", "grade": 2}]}
    write_golden_set(folder, [JUDGED[0], chunk])
    hashes = set()
    for end in (40, 60):
        places = tmp_path / f"{end}.jsonl"
        rows = [("c", "tuning.md", 0, end), ("g", "guide.md", 0, len(GUIDE)),
                ("t", "tuning.md", 60, len(TUNING))]  # fmt: skip
        keys = ("chunk_id", "document", "start", "end")
        records = [dict(zip(keys, row, strict=True)) for row in rows]
        places.write_text("\n".join(map(json.dumps, records)))
        hashes.add(read_golden_set(folder, chunks=str(places)).content_hash)
    assert len(hashes) == 2


def test_a_span_is_credited_once_in_every_measure():
    """A second chunk with the same passage earns as much as an irrelevant one."""
    spans = [SpanJudgment("q", "a", 100, 200, 2), SpanJudgment("q", "a", 500, 600, 1)]
    chunks = [chunk for start in range(0, 700, 50)
              for chunk in by_size("x" * 700, "a", size=100, overlap=50)
              if chunk.start == start]  # fmt: skip
    both = [c.chunk_id for c in chunks if c.start in (50, 100, 150)]
    useless = [c.chunk_id for c in chunks if c.start in (300, 350)]
    judged = judge_spans(spans, chunks)
    for name in MEASURES:
        twice, once = (
            evaluate(judged, credit_spans(be.Run.from_lists({"q": ids}), spans, chunks), name)
            for ids in (both, [both[0], *useless])
        )
        assert twice[name].mean == once[name].mean, name
        assert twice[name].mean <= 1


def test_crediting_twice_changes_nothing():
    """A credited run is unchanged."""
    spans = [SpanJudgment("q", "a", 80, 120, 2)]
    chunks = by_size("word " * 60, "a", size=100, overlap=50)
    run = be.Run.from_lists({"q": [chunk.chunk_id for chunk in chunks]})
    once = credit_spans(run, spans, chunks)
    assert credit_spans(once, spans, chunks).ranking("q") == once.ranking("q")


def test_irrelevant_spans_take_one_rank():
    """A chunk with three passages of grade 0 pushes nothing down."""
    spans = [SpanJudgment("q", "a", i * 10, i * 10 + 9, 0) for i in range(3)]
    spans.append(SpanJudgment("q", "b", 0, 9, 1))
    chunks = [*by_size("x" * 40, "a", size=40, overlap=0), *by_size("y" * 9, "b")]
    run = be.Run.from_lists({"q": ["a#0-40", "b#0-9"]})
    assert credit_spans(run, spans, chunks).ranking("q") == ["a#0-40", "b@0-9"]


def test_a_span_between_two_chunks_belongs_to_the_larger_part():
    """Blank lines belong to no chunk, so neither may contain half."""
    text = "# A\n\n" + "a" * 60 + "\n\n\n\n\n\n# B\n\n" + "b" * 60
    cut_at = text.index("# B")
    spans = [SpanJudgment("q", "s", cut_at - 14, cut_at + 9, 1)]
    chunks = by_heading(text, "s")
    run = be.Run.from_lists({"q": ["s#b", "s#a"]})
    assert credit_spans(run, spans, chunks).ranking("q") == [spans[0].span_id, "s#a"]


WORDS = st.sampled_from(["oauth", "token", "index", "slow", "cache", "a", "configuration"])
PARAGRAPHS = st.lists(WORDS, min_size=5, max_size=40).map(" ".join)
CHUNKERS = {
    "heading": by_heading,
    "paragraph": by_paragraph,
    "small": lambda text, source: by_size(text, source, size=80, overlap=20),
    "large": lambda text, source: by_size(text, source, size=400, overlap=100),
}


@given(
    paragraphs=st.lists(PARAGRAPHS, min_size=2, max_size=8),
    graded=st.data(),
    before=st.sampled_from(list(CHUNKERS)),
    after=st.sampled_from(list(CHUNKERS)),
)
def test_another_chunking_keeps_a_perfect_ranking_perfect(paragraphs, graded, before, after):
    """The ideal score is 1 for every chunking, and none exceeds it."""
    text = "".join(f"# H{i}\n\n{paragraph}\n\n" for i, paragraph in enumerate(paragraphs))
    grade = graded.draw(st.integers(1, 3))
    chosen = graded.draw(st.sets(st.sampled_from(range(len(paragraphs))), min_size=1))
    places = [found.span(1) for found in re.finditer(r"# H\d+\n\n(.*)\n\n", text)]
    spans = [SpanJudgment("q", "s", *places[i], grade) for i in sorted(chosen)]
    relevant = []
    for name in (before, after):
        chunks = CHUNKERS[name](text, "s")
        judged = judge_spans(spans, chunks)
        relevant.append({key: g for key, g in judged.to_dict()["q"].items() if g})
        order = graded.draw(st.permutations([chunk.chunk_id for chunk in chunks]))
        some = evaluate(judged, credit_spans(be.Run.from_lists({"q": order}), spans, chunks),
                        MEASURES)  # fmt: skip
        assert all(0 <= measured.mean <= 1 + 1e-12 for measured in some.values())
        best = credit_spans(be.Run.from_lists({"q": perfect(spans, chunks)}), spans, chunks)
        ideal = evaluate(judged, best, ["nDCG", "nDCG@10", "AP", "RR", "R@1000", "R-precision"])
        assert {key: m.mean for key, m in ideal.items()} == dict.fromkeys(ideal, pytest.approx(1))
    assert relevant[0] == relevant[1]


PLACES = st.tuples(st.integers(0, 18), st.integers(1, 19)).map(lambda p: (p[0], p[0] + p[1]))


@given(
    placed=st.lists(PLACES, min_size=1, max_size=4),
    ends=st.sets(st.integers(0, 37), min_size=2, max_size=6).map(sorted),
    grades=st.lists(st.integers(0, 3), min_size=5, max_size=5),
)
def test_every_order_of_overlapping_chunks_has_valid_scores(placed, ends, grades):
    """Each span counts once, all are found, and no score exceeds 1."""
    chunks = [Chunk(f"c{i}", "s", *place, "") for i, place in enumerate(placed)]
    judged = [SpanJudgment("q", "s", *p, g) for *p, g in zip(ends, ends[1:], grades, strict=False)]
    spans = [one for one, answering in match_spans(judged, chunks) if answering]
    relevant = {one.span_id for one in spans if one.grade}
    assume(relevant)
    known = judge_spans(spans, chunks)
    for order in permutations([chunk.chunk_id for chunk in chunks]):
        credited = credit_spans(be.Run.from_lists({"q": [*order]}), spans, chunks)
        ranking = credited.ranking("q")
        assert len(set(ranking)) == len(ranking)
        assert relevant == set(ranking) - set(order)
        scores = evaluate(known, credited, (*MEASURES, "R@100"))
        assert all(0 <= measured.mean <= 1 + 1e-12 for measured in scores.values())
        assert scores["R@100"].mean == 1


def perfect(spans, chunks):
    """Return a ranking in which every chunk adds a new span."""
    ranking, found = [], set()
    for one in spans:
        for chunk in chunks:
            if one.span_id in found or chunk.chunk_id in ranking:
                continue
            run = be.Run.from_lists({"q": [*ranking, chunk.chunk_id]})
            credited = credit_spans(run, spans, chunks).ranking("q")
            if one.span_id in credited:
                ranking.append(chunk.chunk_id)
                found.update(credited)
    return ranking


def test_best_possible_means_are_those_of_spans(folder):
    """With two spans per query, P@5 is at most 0.4, and the others 1."""
    found = read_golden_set(folder, chunks="size").ceilings(("P@5", "R@10", "nDCG@10", "RR@10"))
    assert found == {"P@5": 0.4, "R@10": 1, "nDCG@10": 1, "RR@10": 1}


@pytest.mark.parametrize(
    ("entry", "kind", "message"),
    [
        ({**REGISTER, "end": 9999}, "range", "ends beyond its document, of "),
        ({**REGISTER, "document": "gide.md"}, "dangling",
         "'gide.md' is not a document; did you mean 'guide.md'?"),
        ({**REGISTER, "start": REGISTER["start"] + 5, "grade": 2}, "contradiction",
         "overlap but have the grades 3 and 2"),
        ({"chunk_id": "guide.md#guide", "grade": 2}, "contradiction",
         "chunks and spans are judged"),
        ({"document": "guide.md", "start": BLANK, "end": BLANK + 1, "grade": 2}, "lost",
         f"no chunk overlaps span 'guide.md@{BLANK}-{BLANK + 1}'"),
        ({**EXPIRES, "grade": 9}, "grade", "has the grade 9, above the scale of 3"),
    ],
)  # fmt: skip
def test_errors_of_spans_are_found(folder, entry, kind, message):
    """X1: spans out of range, dangling, contradictory or without a chunk are rejected."""
    with_judgments(folder, REGISTER, entry)
    assert kind in {one.kind for one in check_golden_set(folder).errors}
    shown = next(one for one in check_golden_set(folder).errors if one.kind == kind)
    assert message in shown.message
    with pytest.raises(MismatchError, match="`berryeval golden check "):
        read_golden_set(folder)


def test_overlapping_spans_of_equal_grade_are_a_warning(folder):
    """Their common text counts twice, which may be intended."""
    with_judgments(folder, REGISTER, {**REGISTER, "start": REGISTER["start"] + 5})
    check = check_golden_set(folder)
    assert [one.message for one in check.warnings if one.kind == "overlap"] == [
        f"spans {span_id(REGISTER)!r} and 'guide.md@{REGISTER['start'] + 5}-{REGISTER['end']}' "
        "overlap; their common text counts twice"
    ]
    assert check.errors == ()


@pytest.mark.parametrize(
    "entry",
    [
        {**REGISTER, "start": -1},
        {**REGISTER, "start": REGISTER["end"]},
        {**REGISTER, "end": "9"},
        {**REGISTER, "end": True},
        {**REGISTER, "document": 7},
        {"document": "guide.md", "grade": 1},
        {key: value for key, value in REGISTER.items() if key != "grade"},
    ],
)
def test_malformed_spans_are_rejected(folder, entry):
    """The message has the file, what was expected and what was found."""
    with_judgments(folder, entry)
    with pytest.raises(FormatError, match=r'entry 1 \(Q1\): expected \{"document": "a'):
        read_golden_set(folder)


def test_another_chunking_requires_spans(tmp_path):
    """Judgments of chunks become invalid, and the message recommends spans."""
    chunked = write_golden_set(tmp_path / "chunks")
    message = "is not a chunk by 'size'; only judgments of spans are independent of the chunking"
    with pytest.raises(MismatchError, match=message):
        read_golden_set(chunked, chunks="size")


def run(*arguments):
    return CliRunner().invoke(main, [*map(str, arguments)], prog_name="berryeval")


@pytest.mark.parametrize("chunks", ["heading", "paragraph", "size"])
def test_runs_of_spans_can_be_scored_as_files(folder, tmp_path, chunks):
    """`retrieve --spans` writes the ids of the judgments."""
    stored = tmp_path / "found.run"
    done = run("retrieve", "--system", "bm25", "--documents", folder / "test-documents",
               "--chunks", chunks,
               "--spans", folder, "--queries", folder / "test-queries.json", "-o",
               stored)  # fmt: skip
    assert done.exit_code == 0, done.output
    assert be.read_run(stored).ranking("Q1")[0] == span_id(REGISTER)
    scored = run("evaluate", folder / "relevance-judgments.json", stored, "-m", "RR", "--json")
    assert json.loads(scored.output)["runs"][0]["means"] == {"RR": 1.0}


def test_a_system_lists_the_positions_of_its_own_chunks(folder, tmp_path, monkeypatch):
    """The system may use any ids and its own documents."""
    places = tmp_path / "places.jsonl"
    rows = [{"chunk_id": str(number), "document": name, "start": start, "end": start + 40}
            for name, text in TEXTS.items()
            for number, start in enumerate(range(0, len(text) - 40, 20), start=100 * len(name))
            ]  # fmt: skip
    places.write_text("\n".join(map(json.dumps, rows)) + "\n\n")
    wanted = next(row["chunk_id"] for row in rows if row["start"] >= REGISTER["start"])
    (tmp_path / "own_search.py").write_text(f"def find(query, k):\n    return ['{wanted}']\n")
    monkeypatch.chdir(tmp_path)
    done = run("quality", "--system", "own_search:find", "--golden", folder, "--chunks", places,
               "--at-least", "RR@10=0.5", "--json")  # fmt: skip
    assert done.exit_code == 0, done.output
    assert json.loads(done.output)["queries"][0]["retrieved"] == [span_id(REGISTER)]
    stored = run("retrieve", "--system", "own_search:find",
                 "--documents", folder / "test-documents",
                 "--chunks", places, "--spans", folder / "relevance-judgments.json",
                 "--queries", folder / "test-queries.json", "-o", "own.run")  # fmt: skip
    assert stored.exit_code == 0, stored.output
    assert be.read_run(tmp_path / "own.run").ranking("Q1") == [span_id(REGISTER)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "expected {"),
        ('{"chunk_id": "1"}', "expected {"),
        ('{"chunk_id": 1, "document": "guide.md", "start": 0, "end": 9}', "expected {"),
        ('{"chunk_id": "1", "document": "guide.md", "start": 9, "end": 9}', "expected {"),
        ('{"chunk_id": "1", "document": "x.md", "start": 0, "end": 9}', "'x.md' is not a document"),
        ('{"chunk_id": "1", "document": "guide.md", "start": 0, "end": 9999}', "none at 9,999"),
        (f'{{"chunk_id": "1", "document": "guide.md", "start": 0, "end": {len(GUIDE) + 1}}}',
         f"none at {len(GUIDE) + 1}"),
        ('{"chunk_id": "0", "document": "guide.md", "start": 0, "end": 9}', "found '0' again"),
    ],
)  # fmt: skip
def test_invalid_positions_are_errors_with_their_line(folder, tmp_path, line, message):
    """The message has the file, the line, what was expected and found."""
    places = tmp_path / "places.jsonl"
    first = {"chunk_id": "0", "document": "guide.md", "start": 0, "end": 9}
    places.write_text(f"{json.dumps(first)}\n{line}\n")
    done = run("quality", "--golden", folder, "--chunks", places)
    assert done.exit_code == 2
    assert "places.jsonl:2: " in done.stderr
    assert message in done.stderr


def test_missing_inputs_for_spans_are_reported(folder, tmp_path):
    """Without documents, spans or a chunking there is one line and exit code 2."""
    queries = folder / "test-queries.json"
    lacking = run(
        "retrieve", "--system", "bm25", "--spans", folder, "--queries", queries, "-o", "x.run"
    )
    assert lacking.exit_code == 2
    assert "--spans requires --documents" in lacking.stderr
    chunked = write_golden_set(tmp_path / "chunks")
    none = run("retrieve", "--system", "bm25", "--spans", chunked, "--queries", queries,
               "-o", "x.run", "--documents", folder / "test-documents")  # fmt: skip
    assert none.exit_code == 2
    assert "expected judgments of spans, found none" in none.stderr
    unknown = run("golden", "check", folder, "--chunks", "by-magic")
    assert unknown.exit_code == 2
    assert (
        "chunks: expected heading, paragraph, size, document or a file, got 'by-magic'"
        in unknown.stderr
    )


def test_a_gate_credits_spans(folder, monkeypatch):
    """A system in berryeval.toml is also scored by spans, and requires documents."""
    monkeypatch.chdir(folder)
    settings = (
        'judgments = "relevance-judgments.json"\nqueries = "test-queries.json"\n'
        'system = "bm25"\n{}[[gate.guard]]\nmeasure = "RR@10"\nat_least = 1.0\n'
    )
    (folder / "berryeval.toml").write_text(settings.format('documents = "test-documents"\n'))
    passed = run("gate")
    assert passed.exit_code == 0, passed.output
    (folder / "answers.py").write_text("def find(query, k):\n    return ['guide.md#guide']\n")
    (folder / "berryeval.toml").write_text(settings.format("").replace("bm25", "answers:find"))
    refused = run("gate")
    assert refused.exit_code == 2
    assert "judgments are of spans; name their documents" in refused.stderr
