"""Reading golden sets from a folder."""

import json

import pytest

import berryeval as be
from berryeval.errors import FormatError, MismatchError
from berryeval.golden import GoldenSet, handbook, read_golden_set
from berryeval.golden.check import check_golden_set
from berryeval.golden.golden_set import JUDGMENTS, QUESTIONS
from berryeval.golden.reading import HANDBOOK
from small_golden_set import JUDGMENTS as GRADES
from small_golden_set import judged, write_golden_set

needs_judgments = pytest.mark.skipif(
    not (HANDBOOK / JUDGMENTS).is_file(), reason="the judgments are not made yet"
)


def test_a_folder_contains_documents_queries_and_judgments(tmp_path):
    """X1: all three are read, and are consistent."""
    golden = read_golden_set(write_golden_set(tmp_path / "small"))
    assert (golden.name, golden.version, golden.scale, golden.pool_depth) == ("small", "1", 3, 20)
    assert golden.sources == ("guide.md", "tuning.md")
    assert [query.query_id for query in golden.queries] == ["Q1", "Q2"]
    assert golden.judgments.to_dict() == GRADES
    assert repr(golden) == "<GoldenSet small 1: 2 documents, 6 chunks, 2 queries, 6 judgments>"
    assert golden.guideline == tmp_path / "small" / "GUIDELINE.md"


def test_judgments_refer_to_chunks(tmp_path):
    """Every judged id is the id of a document to index."""
    golden = read_golden_set(write_golden_set(tmp_path))
    ids = {document.doc_id for document in golden.documents()}
    assert {chunk_id for grades in GRADES.values() for chunk_id in grades} <= ids


def test_a_set_may_have_questions(tmp_path):
    """Documents include them on request, and they have a separate hash."""
    plain = read_golden_set(write_golden_set(tmp_path))
    assert plain.questions == {}
    (tmp_path / QUESTIONS).write_text('{"tuning.md#bananas": ["is it ripe"]}')
    golden = read_golden_set(tmp_path)
    texts = {document.doc_id: document.text for document in golden.documents()}
    asked = {document.doc_id: document.text for document in golden.documents(questions=True)}
    assert asked == {**texts, "tuning.md#bananas": texts["tuning.md#bananas"] + "\nis it ripe"}
    assert list(plain.documents(questions=True)) == list(plain.documents())
    assert golden.content_hash == plain.content_hash
    assert golden.questions_hash != plain.questions_hash
    assert check_golden_set(golden).counts["questions"] == 1
    assert read_golden_set(tmp_path, strict=False, chunks="paragraph").questions == {}


def test_questions_belong_to_chunks(tmp_path):
    """Others are an error, and are left out if a set is only checked."""
    (write_golden_set(tmp_path) / QUESTIONS).write_text('{"tuning.md#banana": ["x"], "z": ["y"]}')
    golden = read_golden_set(tmp_path, strict=False)
    assert list(golden.documents(questions=True)) == list(golden.documents())
    (error,) = check_golden_set(golden).errors
    assert (error.kind, error.where) == ("dangling", QUESTIONS)
    message = (
        "questions are given for 'tuning.md#banana' and 1 more, but there is no such chunk; did"
    )
    assert error.message.startswith(message)
    with pytest.raises(MismatchError, match=f"{QUESTIONS}: questions are given for 'tuning.md#ba"):
        read_golden_set(tmp_path)
    (tmp_path / QUESTIONS).unlink()
    (tmp_path / QUESTIONS).mkdir()
    with pytest.raises(FormatError, match=f"{QUESTIONS}: cannot be read: Is a directory"):
        read_golden_set(tmp_path)


def test_the_most_relevant_chunk_comes_first(tmp_path):
    """X3: the first is the primary one, and unknown queries have none."""
    golden = read_golden_set(write_golden_set(tmp_path))
    assert golden.relevant_of("Q2") == ("tuning.md#slow-searches", "tuning.md#tuning")
    assert golden.relevant_of("Q9") == ()


def test_an_unjudged_query_scores_zero(tmp_path):
    """It is part of the judgments without a grade, so every mean includes it."""
    golden = read_golden_set(write_golden_set(tmp_path, {"Q1": GRADES["Q1"]}))
    run = {"Q1": ["guide.md#configure-oauth"], "Q2": ["tuning.md#tuning"]}
    assert be.evaluate(golden.judgments, run, "P@1")["P@1"].mean == 0.5


def test_the_hash_depends_only_on_content(tmp_path):
    """Another grade changes it; another folder or version does not."""
    one = read_golden_set(write_golden_set(tmp_path / "one"))
    same = read_golden_set(write_golden_set(tmp_path / "two", version=2))
    other_grades = {"Q1": {**GRADES["Q1"], "guide.md#token-lifetime": 2}, "Q2": GRADES["Q2"]}
    other = read_golden_set(write_golden_set(tmp_path / "three", other_grades))
    assert one.content_hash == same.content_hash != other.content_hash
    assert len(one.content_hash) == 64


def test_both_passes_are_kept(tmp_path):
    """The grades of both passes are available with the settled ones."""
    passes = {"Q1": {"guide.md#configure-oauth": [3, 2, 3]}}
    golden = read_golden_set(write_golden_set(tmp_path, passes=passes))
    assert golden.passes == {"Q1": {"guide.md#configure-oauth": (3, 2, 3)}}


@pytest.mark.parametrize(
    ("judgments", "expected"),
    [
        ({"Q1": {"guide.md#configure-oaut": 3}}, "did you mean 'guide.md#configure-oauth'?"),
        ({"Q7": {"guide.md#guide": 3}}, "Q7: is judged but is not in the queries"),
        (
            [judged("Q1", GRADES["Q1"]) | {"not_relevant": ["guide.md#configure-oauth"]}],
            "has the grades 3 and 0",
        ),
        ({"Q1": {"guide.md#guide": 4}}, "has the grade 4, above the scale of 3"),
        ([judged("Q1", GRADES["Q1"])] * 2, "Q1: is judged twice"),
    ],
)
def test_a_contradictory_set_is_rejected(tmp_path, judgments, expected):
    """A dangling id, two grades and a grade out of range are errors with their location."""
    folder = write_golden_set(tmp_path, judgments)
    with pytest.raises(MismatchError) as caught:
        read_golden_set(folder)
    assert expected in str(caught.value)
    assert f"`berryeval golden check {folder}`" in str(caught.value)


def test_a_settled_grade_must_match_the_judgment(tmp_path):
    """A difference means that the judgment was changed afterwards."""
    passes = {"Q1": {"guide.md#configure-oauth": [3, 2, 2], "guide.md#guide": [1, 1, 1]}}
    folder = write_golden_set(tmp_path, passes=passes)
    with pytest.raises(MismatchError, match="was settled as 2, but its grade is 3"):
        read_golden_set(folder)


@pytest.mark.parametrize("name", ["relevance-judgments.json", "test-queries.json"])
def test_a_missing_file_is_named(tmp_path, name):
    """The message names the expected file."""
    folder = write_golden_set(tmp_path)
    (folder / name).unlink()
    with pytest.raises(FormatError, match=name):
        read_golden_set(folder)


def test_a_missing_folder_is_an_error(tmp_path):
    """The message names the folder."""
    with pytest.raises(FormatError, match="expected the folder of a golden set"):
        read_golden_set(tmp_path / "none")


@pytest.mark.parametrize(
    "content", ["[]", '{"Q1": {"a": [1, 2]}}', '{"Q1": {"a": [1, 2, "3"]}}', "{"]
)
def test_malformed_passes_are_an_error(tmp_path, content):
    """The message shows what was expected and found."""
    folder = write_golden_set(tmp_path)
    (folder / "judging-passes.json").write_text(content)
    with pytest.raises(FormatError, match="first, second, settled"):
        read_golden_set(folder)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("{", "expected JSON"),
        ("[]", "a list 'judgments'"),
        ({"judgments": [3]}, "an object with a query_id, found 3"),
        ({"judgments": [{"query_id": "Q1", "relevant": {}}]}, "lists 'relevant'"),
        ({"judgments": [{"query_id": "Q1", "not_relevant": [1]}]}, "chunk ids in 'not_relevant'"),
        ({"judgments": [{"query_id": "Q1", "relevant": [7]}]}, "in 'relevant', found 7"),
        ({"judgments": [{"query_id": "Q1", "relevant": [{"chunk_id": "a"}]}]}, '"grade": 3'),
        (
            {"judgments": [{"query_id": "Q1", "relevant": [{"chunk_id": "a", "grade": 0}]}]},
            "entry 1 (Q1): expected a number above 0 as grade of 'a', found 0",
        ),
        (
            {"judgments": [], "scale": 2, "relevant_from": 3},
            "relevant_from up to the scale, 2, fou",
        ),
        ('{"judgments": [], "scale": 3, "scale": 1}', "the key 'scale' occurs twice in an object"),
        ({"judgments": [], "version": [1]}, "a number or text as version"),
        (
            {"judgments": [], "scale": 4, "labels": ["no", "yes"]},
            "expected 5 labels, one for each grade from 0 to 4, found 2",
        ),
        (
            {"judgments": [], "scale": 2.5, "labels": ["no", "yes"]},
            "expected a whole number as scale, since there are labels, found 2.5",
        ),
        (
            {"judgments": [], "labels": ["only"]},
            "labels: expected 2 to 10 labels, from grade 0 up, got 1",
        ),
        ({"judgments": [], "labels": "no, yes"}, "labels: expected a list of texts, got str"),
        ({"judgments": [], "labels": ["no", ""]}, "labels[1]: expected 1 to 60 characters, got 0"),
        ({"judgments": [], "judges": "median"}, "judges: expected 'first' or 'latest' or"),
        ({"judgments": [], "judges": ["first"]}, "judges: expected 'first' or 'latest' or"),
        ({"judgments": [], "pool_depth": 0}, "a number of ranks as pool_depth, found 0"),
    ],
)
def test_malformed_judgments_are_an_error(tmp_path, content, expected):
    """The message has the file, what was expected and what was found."""
    folder = write_golden_set(tmp_path)
    text = content if isinstance(content, str) else json.dumps(content)
    (folder / "relevance-judgments.json").write_text(text)
    with pytest.raises(FormatError, match=r"relevance-judgments\.json") as caught:
        read_golden_set(folder)
    assert expected in str(caught.value)


CHUNK = {"chunk_id": "guide.md#guide", "grade": 3}
SPAN = {"document": "guide.md", "start": 0, "end": 9, "grade": 3}


@pytest.mark.parametrize(
    ("entry", "facts", "expected"),
    [
        ({"relevant_chunk_ids": []}, {}, "'relevant_chunk_ids'; did you mean 'relevant'?"),
        ({"relevnat": [CHUNK]}, {}, "unknown key 'relevnat'; did you mean 'relevant'?"),
        ({"Relevant": [CHUNK]}, {}, "unknown key 'Relevant'; did you mean 'relevant'?"),
        ({"relevant": [], "note": "x"}, {}, "'note'; known keys are query_id, relevant, not_"),
        ({"relevant": [{**CHUNK, "garde": 2}]}, {}, "unknown key 'garde'; did you mean 'grade'?"),
        ({"relevant": [{**SPAN, "strat": 2}]}, {}, "unknown key 'strat'; did you mean 'start'?"),
        ({"not_relevant": [SPAN]}, {}, "unknown key 'grade'; known keys are document, start, end"),
        ({}, {"relevant_form": 2}, "at the top level: unknown key 'relevant_form'; did you "
                                   "mean 'relevant_from'?"),
    ],
)  # fmt: skip
def test_an_unknown_key_in_judgments_is_an_error(tmp_path, entry, facts, expected):
    """Every reader reports the file, the entry, the key and the nearest known one."""
    good = judged("Q2", GRADES["Q2"])
    folder = write_golden_set(tmp_path, [good, {"query_id": "Q1", **entry}], **facts)
    file = folder / JUDGMENTS
    for read in (read_golden_set, lambda _: check_golden_set(folder), lambda _: be.evaluate(
        file, {"Q1": ["guide.md#guide"]}, "P@5"
    )):  # fmt: skip
        with pytest.raises(FormatError, match=r"relevance-judgments\.json: ") as caught:
            read(folder)
        assert expected in str(caught.value)
        if entry:
            assert "judgments, entry 2 (Q1): " in str(caught.value)


def test_ids_of_queries_may_be_whole_numbers(tmp_path):
    """Both files may use them."""
    queries = [{"id": 1, "query": "configure OAuth"}]
    entry = {**judged("Q1", GRADES["Q1"]), "query_id": 1}
    golden = read_golden_set(write_golden_set(tmp_path, [entry], queries))
    assert golden.relevant_of("1")[0] == "guide.md#configure-oauth"


@pytest.mark.parametrize(
    ("queries", "expected"),
    [
        ([{"id": "Q1", "query": "x", "categroy": "factual"}],
         "query 'Q1': unknown key 'categroy'; did you mean 'category'?"),
        ([{"id": "Q1", "query": "x", "Difficulty": "easy"}],
         "query 'Q1': unknown key 'Difficulty'; did you mean 'difficulty'?"),
    ],
)  # fmt: skip
def test_an_unknown_key_in_queries_is_an_error(tmp_path, queries, expected):
    """This holds for golden sets; files of other tools may have more keys."""
    folder = write_golden_set(tmp_path, queries=queries)
    with pytest.raises(FormatError, match=r"test-queries\.json: ") as caught:
        read_golden_set(folder)
    assert expected in str(caught.value)
    assert be.read_queries(folder / "test-queries.json")[0].category is None


def test_a_key_next_to_the_queries_is_an_error(tmp_path):
    """A misspelt list would be ignored."""
    folder = write_golden_set(tmp_path)
    (folder / "test-queries.json").write_text('{"queries": [], "querys": []}')
    with pytest.raises(FormatError, match="unknown key 'querys'; did you mean 'queries'"):
        read_golden_set(folder)


def test_plain_ids_are_grade_1_on_a_binary_scale(tmp_path):
    """It is the only possible grade."""
    entries = [{"query_id": "Q1", "relevant": ["guide.md#guide"]}]
    golden = read_golden_set(write_golden_set(tmp_path, entries, scale=1))
    assert golden.judgments.to_dict()["Q1"] == {"guide.md#guide": 1}


LABELS = ("None", "A little", "Half", "Most", "All of it")


@pytest.mark.parametrize("facts", [{"scale": 4}, {"scale": None}])
def test_a_set_declares_labels_and_the_rule_for_judges(tmp_path, facts):
    """Its judgments include both in every reader, and labels imply the scale."""
    folder = write_golden_set(tmp_path, labels=[*LABELS], judges="majority", **facts)
    golden = read_golden_set(folder)
    assert (golden.scale, golden.labels, golden.judges) == (4, LABELS, "majority")
    for judgments in (golden.judgments, be.read_judgments(folder / "relevance-judgments.json")):
        assert (judgments.scale, judgments.labels, judgments.judges) == (4, LABELS, "majority")


def test_a_set_need_not_declare_anything(tmp_path):
    """A scale may have no labels, and a set no scale."""
    golden = read_golden_set(write_golden_set(tmp_path))
    assert (golden.scale, golden.labels, golden.judges) == (3, None, None)
    assert (golden.judgments.scale, golden.judgments.labels) == (3, None)
    golden = read_golden_set(write_golden_set(tmp_path, scale=None))
    assert (golden.scale, golden.judgments.scale) == (None, None)


def test_declarations_do_not_change_the_hash(tmp_path):
    """Labels and the rule change no score, so results stay comparable."""
    plain = read_golden_set(write_golden_set(tmp_path / "a", scale=4)).content_hash
    facts = {"labels": [*LABELS], "judges": "latest"}
    assert read_golden_set(write_golden_set(tmp_path / "b", scale=4, **facts)).content_hash == plain


@pytest.mark.parametrize(
    ("scale", "reported"), [(3, "there is a scale up to 3;"), (None, "there is no scale;")]
)
def test_plain_ids_on_another_scale_are_an_error(tmp_path, scale, reported):
    """Their grade is ambiguous; the message shows how to state it."""
    entries = [{"query_id": "Q1", "relevant": ["guide.md#guide"]}]
    with pytest.raises(FormatError, match=r"entry 1 \(Q1\): plain ids in 'relevant'") as caught:
        read_golden_set(write_golden_set(tmp_path, entries, scale=scale))
    assert reported in str(caught.value)
    assert '{"chunk_id": "guide.md#guide", "grade": …}, or declare "scale": 1' in str(caught.value)


@pytest.mark.parametrize("indent", [None, 2])
def test_judgments_of_a_golden_set_are_a_format_like_others(tmp_path, indent):
    """evaluate, compare and gate read the file, on one line or many."""
    path = write_golden_set(tmp_path) / "relevance-judgments.json"
    path.write_text(json.dumps(json.loads(path.read_text()), indent=indent))
    assert be.read_judgments(path).to_dict() == GRADES


def test_relevance_can_start_above_grade_1(tmp_path):
    """With relevant_from 2, grade 1 counts only in nDCG, and the hash changes."""
    golden = read_golden_set(write_golden_set(tmp_path / "a", relevant_from=2))
    assert golden.relevant_of("Q1") == ("guide.md#configure-oauth",)
    assert [str(m) for m in golden.at_level(("P@5", "nDCG@10", "AP(rel=3)"))] == [
        "P(rel=2)@5",
        "nDCG@10",
        "AP(rel=3)",
    ]
    plain = read_golden_set(write_golden_set(tmp_path / "b"))
    assert [str(m) for m in plain.at_level("P@5")] == ["P@5"]
    assert plain.content_hash != golden.content_hash


@needs_judgments
def test_the_bundled_set_was_judged_carefully():
    """Every pair was judged twice, kappa is at least 0.7 and best means at least 0.9."""
    found = check_golden_set(HANDBOOK)
    golden = found.golden
    assert found.errors == ()
    assert not [one for one in found.findings if one.kind in ("agreement", "near-duplicate")]
    pools = json.loads((HANDBOOK / "judging-pools.json").read_text())
    for entry in golden.judged:
        chunks = {chunk_id for chunk_id, _ in entry.iter_grades()}
        assert chunks == golden.passes[entry.query_id].keys() == set(pools[entry.query_id])
        assert pools[entry.query_id] == sorted(pools[entry.query_id])
    kappas = [one.kappa for one in found.agreements.values()]
    assert min(kappas) >= 0.7
    best = [found.ceilings[str(measure)] for measure in golden.at_level(("P@5", "R@10"))]
    assert min(best) >= 0.9
    readme = (HANDBOOK / "README.md").read_text()
    assert f"{found.counts['judgments']:,} pairs of query and chunk" in readme
    for figure in (*kappas, *best):
        assert f"{figure:.3f}" in readme


@needs_judgments
def test_the_bundled_set_is_complete():
    """X1, X3: 50 queries, each with at least two relevant chunks, in order of their grades."""
    golden = handbook()
    assert isinstance(golden, GoldenSet)
    assert len(golden.queries) == 50
    assert len(golden.sources) >= 20
    for query in golden.queries:
        assert len(golden.relevant_of(query.query_id)) >= 2, query.query_id
    for entry in golden.judged:
        grades = [grade for _, grade in entry.relevant]
        assert grades == sorted(grades, reverse=True)
        assert set(grades) <= {1, 2, 3}
