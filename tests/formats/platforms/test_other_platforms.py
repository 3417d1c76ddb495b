"""Files of RRE, Elasticsearch Learning to Rank, MS MARCO and ranx."""

import json
import sys

import pytest

from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.errors import ArgumentError, FormatError, InputError, MissingExtraError
from berryeval.formats import read_judgments, read_run, write_judgments, write_run
from berryeval.formats.losses import Loss, count_losses
from platform_files import LTR, MSMARCO, RRE, RRE_GAINS


def test_the_queries_of_a_group_share_its_documents(save):
    """A query with its own documents is an exception."""
    assert read_judgments(save(RRE)).to_dict() == {
        "led tv": {"d7": 3.0, "d9": 0.0},
        "LED TV": {"d8": 1.0},
    }


def test_the_older_form_has_documents_by_gain(save):
    """A query without documents has no judgments."""
    found = read_judgments(save(RRE_GAINS)).to_dict()
    assert found == {"led tv": {"d7": 3.0, "d8": 3.0, "d9": 0.0}}


def test_another_placeholder_can_be_named(save):
    """Ratings say which one holds the query."""
    ratings = {
        "query_placeholder": "$q",
        "query_groups": [
            {"queries": [{"placeholders": {"$q": "tv"}}], "relevant_documents": {"1": ["d1"]}}
        ],
    }
    assert read_judgments(save(ratings)).to_dict() == {"tv": {"d1": 1.0}}


@pytest.mark.parametrize("name", ["rre", "rre-gains"])
def test_both_forms_are_written(tmp_path, name):
    """Both are read again, and a query without documents is kept in the file."""
    judgments = Judgments.from_dict({"led tv": {"d7": 3, "d9": 0}, "hdmi": {}})
    write_judgments(judgments, tmp_path / "r.json", format=name)
    assert read_judgments(tmp_path / "r.json").to_dict() == {"led tv": {"d7": 3.0, "d9": 0.0}}
    content = json.loads((tmp_path / "r.json").read_text())
    if name == "rre":
        first, second = content["topics"][0]["query_groups"]
        assert first["relevant_documents"] == {"d7": {"gain": 3}, "d9": {"gain": 0}}
    else:
        first, second = content["queries"]
        assert first["relevant_documents"] == {"3": ["d7"], "0": ["d9"]}
    assert second["relevant_documents"] == {}


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ({"d1": {}}, "queries[0].relevant_documents[\"d1\"]: expected a key 'gain', found no keys"),
        (
            {"good": ["d1"]},
            'a key of queries[0].relevant_documents: expected a number, found "good"',
        ),
        ({"1": [None]}, 'queries[0].relevant_documents["1"][0]: expected an id, found null'),
        ({"d1": 3}, 'queries[0].relevant_documents["d1"]: expected an object, found 3'),
    ],
)
def test_an_invalid_rating_is_reported_with_its_path(save, documents, message):
    """The message has the file, the path, what was expected and found."""
    query = {"placeholders": {"$query": "tv"}, "relevant_documents": documents}
    path = save({"queries": [query]})
    with pytest.raises(FormatError) as caught:
        read_judgments(path)
    assert str(caught.value) == f"{path}: {message}"


def test_an_ltr_list_names_its_queries_in_comments(save):
    """Features are left out and counted."""
    with count_losses() as losses:
        judgments = read_judgments(save(LTR))
    assert judgments.to_dict() == {"led tv": {"d7": 4.0, "d9": 0.0}, "hdmi cable": {"d1": 1.0}}
    assert losses == {Loss.FEATURES: 1}


def test_quepids_list_names_its_queries_after_the_documents(save):
    """If it is detected as LETOR, queries are numbers; if it is named as ltr, they are texts."""
    path = save("3 qid:7 # 1370 star trek\n\n0 qid:8 # 12 rambo\n1 qid:9 # 12\n")
    grades = {"star trek": {"1370": 3.0}, "rambo": {"12": 0.0}, "9": {"12": 1.0}}
    assert read_judgments(path, format="ltr").to_dict() == grades
    assert list(read_judgments(path).to_dict()) == ["7", "8", "9"]


def test_an_ltr_list_is_written_with_numbers_and_texts(tmp_path):
    """The written file can be read again."""
    judgments = Judgments.from_dict({"led tv": {"d7": 4, "d9": 0.5}, "hdmi": {"d7": 1}})
    write_judgments(judgments, tmp_path / "list.txt", format="ltr")
    assert (tmp_path / "list.txt").read_text() == (
        "# qid:1: led tv\n# qid:2: hdmi\n\n"
        "4\tqid:1\t# d7\tled tv\n0.5\tqid:1\t# d9\tled tv\n1\tqid:2\t# d7\thdmi\n"
    )
    assert read_judgments(tmp_path / "list.txt") == judgments


@pytest.mark.parametrize("data", [{"a\nb": {"d": 1}}, {"q": {"a b": 1}}, {" q": {"d": 1}}])
def test_what_would_break_a_line_is_refused(tmp_path, data):
    """It could not be read again."""
    with pytest.raises(InputError, match="an LTR list cannot hold the"):
        write_judgments(Judgments.from_dict(data), tmp_path / "a", format="ltr")


def test_ranks_of_ms_marco_become_scores(save):
    """This holds for any order of lines."""
    run = read_run(save(MSMARCO))
    assert run.to_dict() == {"q1": {"d9": 0.5, "d7": 1.0}, "q2": {"d1": 1.0}}
    assert run.find_cautions() == ()


def test_blanks_and_tabs_after_a_rank_of_ms_marco_are_ignored(save):
    """A trailing tab is not a fourth column."""
    run = read_run(save("q1\td1\t1\nq1\td2\t2 \t\r\n"))
    assert run.to_dict() == {"q1": {"d1": 1.0, "d2": 0.5}}


def test_a_run_is_written_by_rank(tmp_path):
    """Ids may have blanks, but no tabs."""
    run = Run.from_dict({"q 1": {"d1": 0.5, "d2": 2.5}})
    write_run(run, tmp_path / "run.tsv", format="msmarco")
    assert (tmp_path / "run.tsv").read_text() == "q 1\td2\t1\nq 1\td1\t2\n"
    with pytest.raises(InputError, match="an MS MARCO run cannot hold the id"):
        write_run(Run.from_dict({"q": {"a\tb": 1}}), tmp_path / "a", format="msmarco")
    with pytest.raises(ArgumentError, match="format: expected one that holds judgments"):
        write_judgments(Judgments.from_dict({"q": {"d": 1}}), tmp_path / "a", format="msmarco")


@pytest.mark.parametrize("line", ["q1\td1", "q1\td1\t0", "q1\td1\t-1", "q1\td1\tx", "q1 d1 1"])
def test_an_invalid_line_of_ms_marco_is_reported(save, line):
    """The message has its number."""
    with pytest.raises(FormatError, match=":2: expected query, document and rank, separated by"):
        read_run(save(f"q1\td0\t1\n{line}\n"), format="msmarco")


def test_ranx_writes_json_that_is_an_object(save):
    """It is indented by two, with whole numbers in judgments, and floats in runs."""
    data = {"q1": {"d1": 2, "d2": 0}, "q2": {"d1": 1}}
    assert read_judgments(save(data, indent=2)).to_dict() == data
    assert read_run(save({"q1": {"d1": 0.25}}, indent=2)).to_dict() == {"q1": {"d1": 0.25}}


def test_lz4_without_its_library_is_an_error_that_names_it(tmp_path, monkeypatch):
    """The message contains a command to install it, and nothing is written."""
    monkeypatch.setitem(sys.modules, "lz4", None)
    monkeypatch.setitem(sys.modules, "lz4.frame", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'berryeval\[lz4\]'"):
        write_run(Run.from_dict({"q": {"d": 1.0}}), tmp_path / "a.lz4")
    assert list(tmp_path.iterdir()) == []
    path = tmp_path / "b.lz4"
    path.write_bytes(b"\x04\x22\x4d\x18\x60\x40\x82\x20\x00\x00\x80\x04\x22\x4d\x18\x00")
    with pytest.raises(MissingExtraError, match="Reading lz4 requires an optional dependency"):
        read_run(path)
