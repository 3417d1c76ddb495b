"""Checking whether a golden set can be trusted."""

import json

import pytest

from berryeval.core.run import Run
from berryeval.golden.check import check_golden_set
from berryeval.golden.near_duplicates import near_duplicates, shingles
from berryeval.golden.reading import read_golden_set
from small_golden_set import JUDGMENTS, QUERIES, judged, write_golden_set

LONG = "Take the lid off, put the new filter in, close the lid and switch the pump on in {}."


def findings(found, kind):
    return [(one.where, one.message) for one in found.findings if one.kind == kind]


def test_a_valid_set_has_no_errors(tmp_path):
    """Counts and best possible means are reported."""
    found = check_golden_set(write_golden_set(tmp_path))
    assert found.errors == ()
    assert found.counts["judgments"] == 6
    assert found.counts["by_grade"] == {"0": 2, "1": 1, "2": 1, "3": 2}
    assert found.counts["by_category"] == {"procedural": 1, "troubleshoot": 1}
    assert found.counts["relevant"] == {"fewest": 2, "median": 2, "most": 2}


def test_ceilings_are_the_best_that_is_possible(tmp_path):
    """With two relevant chunks per query, P@5 is at most 0.4, and a warning reports it."""
    found = check_golden_set(write_golden_set(tmp_path))
    assert found.ceilings["P@5"] == pytest.approx(0.4)
    assert found.ceilings["R@10"] == found.ceilings["RR@10"] == 1
    assert ("P@5", "no system can score above 0.400") in findings(found, "ceiling")


def test_recall_is_limited_by_the_number_of_hits(tmp_path):
    """R@5 of six relevant chunks is at best 5/6."""
    chunks = ("guide.md#guide", "guide.md#configure-oauth", "guide.md#token-lifetime",
              "tuning.md#tuning", "tuning.md#slow-searches", "tuning.md#bananas")  # fmt: skip
    folder = write_golden_set(tmp_path, {"Q1": dict.fromkeys(chunks, 1)}, QUERIES[:1])
    assert check_golden_set(folder).ceilings["R@5"] == pytest.approx(5 / 6)


def test_all_errors_are_reported_at_once(tmp_path):
    """A dangling id, a contradiction and a query without an answer are three errors."""
    entries = [judged("Q1", {"guide.md#nowhere": 3}) | {"not_relevant": ["guide.md#guide"] * 2}]
    found = check_golden_set(write_golden_set(tmp_path, entries))
    assert {one.kind for one in found.errors} == {"dangling", "contradiction", "nothing"}
    assert [one.level for one in found.findings] == sorted(one.level for one in found.findings)


def test_a_set_without_judgments_can_be_checked(tmp_path):
    """Judging comes last; until then every query is reported as unanswered."""
    folder = write_golden_set(tmp_path)
    (folder / "relevance-judgments.json").unlink()
    found = check_golden_set(folder)
    assert [where for where, _ in findings(found, "nothing")] == ["Q1", "Q2"]


def test_a_set_without_queries_is_an_error(tmp_path):
    """Nothing could be scored."""
    found = check_golden_set(write_golden_set(tmp_path, {}, []))
    assert [one.message for one in found.errors] == ["there are no queries"]
    assert found.ceilings == {}


def test_weak_spots_are_warnings(tmp_path):
    """One relevant chunk, unsorted grades, a repeated query and no guideline are reported."""
    entries = [
        {
            "query_id": "Q1",
            "relevant": [
                {"chunk_id": "guide.md#guide", "grade": 1},
                {"chunk_id": "guide.md#configure-oauth", "grade": 3},
            ],
        },
        judged("Q2", {"tuning.md#tuning": 2}),
    ]
    queries = [QUERIES[0], {**QUERIES[1], "query": "Configure  oauth"}]
    folder = write_golden_set(tmp_path, entries, queries)
    (folder / "GUIDELINE.md").unlink()
    found = check_golden_set(folder)
    assert found.errors == ()
    assert findings(found, "order") == [("Q1", "the most relevant chunk does not come first")]
    assert findings(found, "few") == [("Q2", "a single chunk is relevant; look for others")]
    assert findings(found, "repeated") == [("Q2", "has the same text as Q1")]
    assert len(findings(found, "guideline")) == 1


def test_near_duplicates_with_different_grades_are_reported(tmp_path):
    """Chunks that differ in one word serve a query alike, so one grade is wrong."""
    folder = write_golden_set(tmp_path, {"Q1": {"pumps.md#one": 3, "pumps.md#two": 1}})
    text = f"# One\n\n{LONG.format('January')}\n\n# Two\n\n{LONG.format('August')}\n"
    (folder / "test-documents" / "pumps.md").write_text(text)
    [(where, message)] = findings(check_golden_set(folder), "near-duplicate")
    assert where == "Q1"
    assert "'pumps.md#one' and 'pumps.md#two' share" in message
    assert "the grades 3 and 1" in message


def test_near_duplicates_with_the_same_grade_are_not_reported(tmp_path):
    """The guideline requires the same grade."""
    folder = write_golden_set(tmp_path, {"Q1": {"pumps.md#one": 2, "pumps.md#two": 2}})
    text = f"# One\n\n{LONG.format('January')}\n\n# Two\n\n{LONG.format('August')}\n"
    (folder / "test-documents" / "pumps.md").write_text(text)
    assert findings(check_golden_set(folder), "near-duplicate") == []


def test_overlap_is_the_share_of_common_word_sequences():
    """One of three sequences of four is common to 1 2 3 4 5 and 2 3 4 5 6."""
    texts = {"a": shingles("1 2 3 4 5"), "b": shingles("2 3 4 5 6"), "c": shingles("")}
    assert list(near_duplicates(texts, 0.3)) == [("a", "b", pytest.approx(1 / 3))]
    assert list(near_duplicates(texts)) == []
    assert shingles("Two words") == {("two", "words")}


def test_unjudged_chunks_in_the_first_ranks_are_reported(tmp_path):
    """Deeper ranks are not checked."""
    run = Run.from_lists({"Q1": ["guide.md#configure-oauth", "guide.md#guide"], "Q2": []})
    folder = write_golden_set(tmp_path)
    found = check_golden_set(folder, {"mine": run})
    assert found.holes == {"mine": (("Q1", "guide.md#guide"),)}
    assert "unjudged chunks in its first 10 ranks: 1," in findings(found, "unjudged")[0][1]
    assert check_golden_set(folder, {"mine": run}, depth=1).holes == {"mine": ()}


def test_power_is_computed_from_runs(tmp_path):
    """One system uses assumed correlations, two measured ones, and none has no power."""
    one = Run.from_lists({"Q1": ["guide.md#configure-oauth"], "Q2": ["guide.md#guide"]})
    two = Run.from_lists({"Q1": ["guide.md#guide"], "Q2": ["tuning.md#tuning"]})
    folder = write_golden_set(tmp_path)
    assert check_golden_set(folder).sensitivities == ()
    assert check_golden_set(folder, {"a": one}).sensitivities[0].spreads[0].is_assumed
    assert not check_golden_set(folder, {"a": one, "b": two}).sensitivities[0].spreads[0].is_assumed


def test_low_agreement_is_reported(tmp_path):
    """A low kappa, and judgments that are in no pass, are warnings."""
    passes = {
        "Q1": {"guide.md#configure-oauth": [1, 3, 3], "tuning.md#bananas": [0, 0, 0]},
        "Q2": {"tuning.md#slow-searches": [3, 1, 3]},
    }
    found = check_golden_set(write_golden_set(tmp_path, passes=passes))
    assert found.agreements["all pairs"].n_pairs == 3
    assert found.agreements["grade 1 or more"].n_pairs == 2
    assert found.agreements["all pairs"].kappa < 0.7
    warned = findings(found, "agreement")
    assert any("revise the guideline" in message for _, message in warned)
    assert any(message == "3 judgments are in no pass" for _, message in warned)


def test_a_set_judged_once_has_no_agreement(tmp_path):
    """Nothing is reported without passes."""
    assert JUDGMENTS
    assert check_golden_set(write_golden_set(tmp_path)).agreements == {}


def test_a_query_without_text_is_an_error(tmp_path):
    """It cannot be searched for."""
    queries = [{**QUERIES[0], "query": " "}, QUERIES[1]]
    found = check_golden_set(write_golden_set(tmp_path, queries=queries))
    assert ("empty", "Q1") in [(finding.kind, finding.where) for finding in found.errors]


@pytest.mark.parametrize("name", ["document_questions.json", "judging-passes-.json"])
def test_a_misspelt_optional_file_is_an_error(tmp_path, name):
    """It would be ignored silently; other files are allowed."""
    folder = write_golden_set(tmp_path)
    (folder / "judging-pools.json").write_text("{}")
    assert not check_golden_set(folder).errors
    (folder / name).write_text("{}")
    (finding,) = check_golden_set(folder).errors
    assert (finding.kind, finding.where) == ("unread", name)
    assert finding.message.startswith("is ignored; did you mean '")


def test_ignored_documents_are_a_warning(tmp_path):
    """Only Markdown and text are split into chunks."""
    folder = write_golden_set(tmp_path)
    (folder / "test-documents" / "page.html").write_text("<p>")
    found = [finding for finding in check_golden_set(folder).warnings if finding.kind == "unread"]
    assert [finding.message for finding in found] == ["'page.html' is not Markdown or text"]


def ids_of_files(folder, ids):
    """Write documents, and a query for each of the judged ids."""
    (folder / "docs").mkdir(parents=True)
    for number in range(4):
        (folder / "docs" / f"SUP-{number}.md").write_text(f"# Title {number}\n\nText.\n")
    rows = [f"q{number} 0 {one} 1\n" for number, one in enumerate(ids)]
    (folder / "qrels.txt").write_text("".join(rows))
    queries = [{"_id": f"q{number}", "text": f"word{number}"} for number in range(len(ids))]
    (folder / "queries.jsonl").write_text("".join(json.dumps(one) + "\n" for one in queries))
    parts = {"queries": folder / "queries.jsonl", "judgments": folder / "qrels.txt"}
    return read_golden_set(documents=folder / "docs", strict=False, **parts)


@pytest.mark.parametrize("ending", ["", ".md", ".html"])
def test_judged_ids_may_be_names_of_files(tmp_path, ending):
    """With or without an extension; an id that is wrong is still found."""
    golden = ids_of_files(tmp_path, [f"SUP-{number}{ending}" for number in range(3)])
    assert check_golden_set(golden).errors == ()
    assert {f"SUP-{number}{ending}" for number in range(3)} <= {*golden.texts}
    wrong = ids_of_files(tmp_path / "wrong", [f"SUP-0{ending}", f"SUP-1{ending}", "SUP-9"])
    [(where, message)] = findings(check_golden_set(wrong), "dangling")
    assert where == "q2"
    assert message.startswith("'SUP-9' is judged but is not a document; did you mean 'SUP-")


def test_other_ids_are_one_error_with_examples(tmp_path):
    """One line per judgment would hide that the names differ."""
    found = check_golden_set(ids_of_files(tmp_path, [f"KB{number}" for number in range(4)]))
    [(_, message)] = findings(found, "dangling")
    assert message == (
        "none of the 4 judged ids is a chunk of the documents; judged: 'KB0', 'KB1', 'KB2'; "
        "chunks: 'SUP-0.md#title-0', 'SUP-1.md#title-1', 'SUP-2.md#title-2'"
    )


def test_queries_with_few_documents_are_counted(tmp_path):
    """One line says how many there are."""
    found = check_golden_set(ids_of_files(tmp_path, [f"SUP-{number}" for number in range(4)]))
    [(_, message)] = findings(found, "few")
    assert message == (
        "4 queries have a single relevant document, such as q0, q1, q2; look for others"
    )
