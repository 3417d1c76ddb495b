"""Files of Quepid."""

import json

import pytest

from berryeval.core.judgments import Judgments, Opinion
from berryeval.core.run import Run
from berryeval.errors import FormatError, InputError
from berryeval.formats import read_judgments, read_queries, read_run, write_judgments, write_run
from berryeval.formats.losses import Loss, count_losses
from berryeval.formats.scores import read_scores
from platform_files import (
    QUEPID_BOOK,
    QUEPID_BOOK_CSV,
    QUEPID_CASE,
    QUEPID_CSV,
    QUEPID_DETAILED_CSV,
    QUEPID_SNAPSHOT,
    QUEPID_SNAPSHOT_CSV,
)


def test_rows_without_a_rating_are_left_out_and_counted(save):
    """This covers documents without a rating, and queries without documents."""
    with count_losses() as losses:
        judgments = read_judgments(save(QUEPID_CSV))
    assert judgments.to_dict() == {
        "led tv": {"d7": 3.0, "d9": 0.0},
        "remote, black": {"d9": 1.0},
        "-20 dB": {"d7": 2.0},  # Quepid's blank protects spreadsheets
    }
    assert losses == {Loss.UNRATED: 2}


def test_negative_grades_and_empty_queries_are_written_as_not_rated(tmp_path):
    """Quepid shows both, and asks for ratings."""
    judgments = Judgments.from_dict({"=tv": {"d1": 2, "d2": -1, "d3": 0.5}, "cable": {}})
    write_judgments(judgments, tmp_path / "a.csv", format="quepid-csv")
    assert (tmp_path / "a.csv").read_text() == (
        "query,docid,rating\n =tv,d1,2\n =tv,d2,\n =tv,d3,0.5\ncable,,\n"
    )


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("led tv,,3", ":2: expected a value in column 'docid', found none"),
        (",d1,3", ":2: expected a value in column 'query', found none"),
        ("led tv,d1,good", ":2: expected a number as grade, found 'good'"),
        ("led tv,d1", ":2: expected 3 columns, found 2"),
        ("led tv,d1,3,4", ":2: expected 3 columns, found 4"),
    ],
)
def test_an_invalid_rating_is_reported_with_its_line(save, row, message):
    """The message has the file, the line, what was expected and found."""
    path = save(f"query,docid,rating\n{row}\n")
    with pytest.raises(FormatError) as caught:
        read_judgments(path)
    assert str(caught.value) == f"{path}{message}"


@pytest.mark.parametrize(
    ("name", "expected"), [("quepid-csv", "query,docid,rating"), ("quepid-book-csv", "query,docid")]
)
def test_other_columns_are_an_error_with_those_that_are_expected(save, name, expected):
    """The format was named, and the file is another one."""
    with pytest.raises(FormatError, match=f":1: expected the columns {expected}.*, found a,b,c"):
        read_judgments(save("a,b,c\n1,2,3\n"), format=name)


def test_every_column_of_a_book_is_a_judge(save):
    """An empty field is not a grade, and Anonymous is not an author."""
    with count_losses() as losses:
        judgments = read_judgments(save(QUEPID_BOOK_CSV), judges="mean")
    assert judgments.to_dict() == {"led tv": {"d7": 2.0, "d9": 0.0}, "hdmi cable": {"d1": 2.0}}
    assert judgments.opinions[b"led tv"][b"d7"] == [Opinion(b"Ada Lovelace", 3), Opinion(b"Bob", 1)]
    assert [one.judge for one in judgments.opinions[b"hdmi cable"][b"d1"]] == [
        b"Ada Lovelace",
        None,
        b"Bob",
    ]
    assert losses == {Loss.UNRATED: 1}


def test_a_book_as_csv_keeps_its_judges(save, tmp_path):
    """The same opinions are read again."""
    judgments = read_judgments(save(QUEPID_BOOK_CSV))
    write_judgments(judgments, tmp_path / "b.csv", format="quepid-book-csv")
    assert (tmp_path / "b.csv").read_text() == (
        "query,docid,Ada Lovelace,Bob,Anonymous\n"
        "led tv,d7,3,1,\n"
        "led tv,d9,,,0\n"
        "hdmi cable,d1,2,2,2\n"
    )


def test_a_book_has_judges_notes_and_a_scale(save):
    """Titles, and pairs and judgements without a rating, are left out and counted."""
    with count_losses() as losses:
        judgments = read_judgments(save(QUEPID_BOOK))
    assert judgments.to_dict() == {"led tv": {"d7": 2.0}, "hdmi": {"d1": 0.0}}
    assert judgments.opinions[b"led tv"][b"d7"] == [
        Opinion(b"ada@example.com", 2, note=b"the newest one"),
        Opinion(b"bob@example.com", 1),
    ]
    assert (judgments.scale, judgments.labels) == (2.0, ("Poor", "Fair", "Perfect"))
    assert losses == {Loss.UNRATED: 2, Loss.FIELDS: 1}


def test_a_book_is_written_with_judges_notes_and_scale(save, tmp_path):
    """The same book is read again."""
    judgments = read_judgments(save(QUEPID_BOOK))
    write_judgments(judgments, tmp_path / "book.json", format="quepid-book")
    again = read_judgments(tmp_path / "book.json")
    assert again == judgments
    assert again.opinions == judgments.opinions
    assert (again.scale, again.labels) == (judgments.scale, judgments.labels)


@pytest.mark.parametrize(
    ("scale", "labels", "expected"),
    [
        ("0,1,2,3", None, (3.0, None)),
        ([1, 2, 4], {"1": "a", "2": "b", "4": "c"}, (4.0, None)),
        ([0, 1], {"0": "no"}, (1.0, None)),
        ([], None, (None, None)),
        (None, None, (None, None)),
    ],
)
def test_labels_of_a_scale_are_kept_if_each_grade_from_0_has_one(save, scale, labels, expected):
    """Older versions write the scale as text."""
    book = QUEPID_BOOK | {"scale": scale, "scale_with_labels": labels}
    judgments = read_judgments(save(book))
    assert (judgments.scale, judgments.labels) == expected


def test_a_scale_that_is_not_declared_follows_from_the_grades(tmp_path):
    """Quepid needs one."""
    for grades, scale in (([0, 3], [0, 1, 2, 3]), ([0, 0.5], [0, 1]), ([0, 40], [0, 40])):
        judged = dict(enumerate(grades))
        path = tmp_path / "book.json"
        write_judgments(Judgments.from_dict({"q": judged}), path, format="quepid-book")
        assert json.loads(path.read_text())["scale"] == scale


def test_a_case_has_ratings_and_queries(save):
    """Notes and ratings that are null are left out and counted."""
    path = save(QUEPID_CASE)
    with count_losses() as losses:
        judgments = read_judgments(path)
    assert judgments.to_dict() == {"led tv": {"d7": 2.0, "d9": 0.0}}
    assert judgments.opinions[b"led tv"][b"d7"] == [Opinion(b"ada@example.com", 2)]
    assert losses == {Loss.UNRATED: 1, Loss.QUERY_FACTS: 1}
    found = [(one.query_id, one.text, one.description) for one in read_queries(path)]
    assert found == [("led tv", "led tv", "A flat screen"), ("hdmi", "hdmi", None)]


def test_the_export_of_ratings_alone_is_read_as_a_case(save):
    """It has the ratings of a query as an object."""
    ratings = {"queries": [{"query": "led tv", "ratings": {"d7": 2, "d9": None}}]}
    assert read_judgments(save(ratings)).to_dict() == {"led tv": {"d7": 2.0}}


def test_a_snapshot_has_a_run_without_what_was_not_retrieved(save):
    """Ranks become scores; a query that is not listed is its number."""
    path = save(QUEPID_SNAPSHOT)
    with count_losses() as losses:
        run = read_run(path)
    assert run.to_dict() == {"led tv": {"d7": 1.0, "d9": 0.5}, "43": {"d1": 1.0}}
    assert run.tag == "boosted"
    assert losses == {Loss.FIELDS: 1, Loss.NOT_RETRIEVED: 1}


def test_a_snapshot_has_judgments_scores_and_queries(save):
    """They are those at the time of the snapshot."""
    path = save(QUEPID_SNAPSHOT)
    assert read_judgments(path).to_dict() == {"led tv": {"d7": 2.0}}
    assert read_scores(path) == {"AP@10": {"led tv": 0.5}}
    assert [one.description for one in read_queries(path)] == [None, "a cable"]


def test_a_snapshot_is_written_as_quepid_imports_it(tmp_path):
    """Positions count from 1; it is read by position."""
    run = Run.from_dict({"led tv": {"d1": 0.5, "d2": 0.9}})
    write_run(run, tmp_path / "s.json", format="quepid-snapshot")
    content = json.loads((tmp_path / "s.json").read_text())
    (snapshot,) = content["snapshots"]
    docs = [{"id": "d2", "position": 1}, {"id": "d1", "position": 2}]
    assert snapshot == {"name": "BerryEval", "queries": [{"query_text": "led tv", "docs": docs}]}
    docs.reverse()
    snapshot["queries"][0]["docs"] = docs
    (tmp_path / "s.json").write_text(json.dumps(content))
    assert read_run(tmp_path / "s.json").ranking("led tv") == ["d2", "d1"]
    (tmp_path / "s.json").write_text(json.dumps({"snapshots": [snapshot, snapshot]}))
    with pytest.raises(FormatError, match="expected one snapshot, found 2"):
        read_run(tmp_path / "s.json")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            {
                "query_doc_pairs": [
                    {"query_text": "a", "doc_id": "b", "judgements": [{"rating": "x"}]}
                ]
            },
            'query_doc_pairs[0].judgements[0].rating: expected a number, found "x"',
        ),
        (
            {"query_doc_pairs": [{"query_text": "a"}]},
            "query_doc_pairs[0]: expected a key 'doc_id', found 'query_text'",
        ),
        (
            {"queries": [{"query_text": "", "ratings": []}]},
            'queries[0].query_text: expected an id, found ""',
        ),
        (
            {"queries": [{"query_text": "a", "ratings": {"": 1}}]},
            'a key of queries[0].ratings: expected an id, found ""',
        ),
        ({"query_doc_pairs": {"a": 1}}, 'query_doc_pairs: expected a list, found {"a": 1}'),
        ({"query_doc_pairs": [7]}, "query_doc_pairs[0]: expected an object, found 7"),
    ],
)
def test_an_invalid_value_is_reported_with_its_path(save, content, message):
    """The message has the file, the path in the document, what was expected and found."""
    path = save(content)
    with pytest.raises(FormatError) as caught:
        read_judgments(path)
    assert str(caught.value) == f"{path}: {message}"


def test_a_snapshot_as_csv_has_a_run(save, tmp_path):
    """Positions are ranks, in any order of the rows; it can be written, too."""
    with count_losses() as losses:
        run = read_run(save(QUEPID_SNAPSHOT_CSV))
    assert run.to_dict() == {"led tv": {"d9": 0.5, "d7": 1.0}, "-20 dB": {"d1": 1.0}}
    assert (run.tag, losses) == ("boosted", {Loss.FIELDS: 1})
    write_run(run, tmp_path / "s.csv", format="quepid-snapshot-csv")
    assert (tmp_path / "s.csv").read_text().splitlines()[1:] == [
        "boosted,,,led tv,d7,1",
        "boosted,,,led tv,d9,2",
        "boosted,,, -20 dB,d1,1",
    ]


def test_the_detailed_export_of_a_case_has_ratings_and_a_run(save):
    """Rows without a rating are left out of the judgments, and counted."""
    path = save(QUEPID_DETAILED_CSV)
    with count_losses() as losses:
        assert read_judgments(path).to_dict() == {"led tv": {"d7": 3.0}}
    assert losses == {Loss.UNRATED: 1, Loss.FIELDS: 1}
    assert read_run(path).ranking("led tv") == ["d7", "d9"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("other,,7,led tv,d1,3,", ":5: expected one snapshot, 'boosted', found also 'other'"),
        ("boosted,,7,led tv,d1,0,", ":5: expected a position from 1, found '0'"),
        ("boosted,,7,led tv,,3,", ":5: expected a value in column 'Doc ID', found none"),
    ],
)
def test_an_invalid_row_of_a_snapshot_is_reported_with_its_line(save, row, message):
    """The message has the file, the line, what was expected and found."""
    with pytest.raises(FormatError) as caught:
        read_run(save(f"{QUEPID_SNAPSHOT_CSV}{row}\n"))
    assert message in str(caught.value)


def test_a_snapshot_as_csv_has_no_ratings(save):
    """The message names the column that is missing."""
    with pytest.raises(FormatError, match=":1: expected a column 'rating', found 'snapshot name'"):
        read_judgments(save(QUEPID_SNAPSHOT_CSV))


@pytest.mark.parametrize("name", ["quepid-csv", "quepid-book-csv", "quepid-book", "quepid-case"])
def test_judgments_with_subtopics_have_no_place_in_quepid(save, tmp_path, name):
    """They are rejected, and no file is left."""
    judgments = read_judgments(save("q1 1 d1 1\nq1 2 d1 2\n"))
    with pytest.raises(InputError, match="cannot hold the subtopics of judgments"):
        write_judgments(judgments, tmp_path / "out", format=name)
    assert not (tmp_path / "out").exists()
