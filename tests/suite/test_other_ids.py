"""Systems with ids that the golden set does not know, and with fewer hits than requested."""

import sys

import pytest
from click.testing import CliRunner

from berryeval.cli import main
from berryeval.errors import AnswerError, MismatchError
from berryeval.golden import handbook
from berryeval.reports.quality import quality_notes
from berryeval.search import Hit
from berryeval.search.failures import other_ids
from berryeval.search.opening import open_system
from berryeval.search.systems.function import Function
from berryeval.suite.evaluate_system import evaluate_system
from berryeval.suite.quality import run_quality


def chunk_ids():
    """Return the ids of the golden set."""
    return [chunk.chunk_id for chunk in handbook().chunks]


def test_ids_that_are_all_unknown_are_an_error():
    """The message has examples of both sides, and the setting that maps them."""
    system = Function(lambda _query, k: [f"page-{i}" for i in range(k)])
    with pytest.raises(MismatchError) as error:
        run_quality(system, questions=False)
    found = str(error.value)
    assert "returned: 'page-0', 'page-1', 'page-2'; in the golden set: " in found
    assert repr(chunk_ids()[0]) in found
    assert found.endswith("map them with a setting such as id={id}.txt")
    assert error.value.setting == "id={id}.txt"


def test_hits_without_ids_are_not_blamed_on_names():
    """A hash of a text cannot be mapped; the field with the id has to be named."""
    system = Function(lambda query, k: [{"text": f"{query} {i}", "path": "a"} for i in range(k)])
    with pytest.raises(MismatchError, match=r"the hits have no ids, only texts; name the"):
        run_quality(system, questions=False)


def test_some_unknown_ids_are_a_caution():
    """They may be new documents."""
    known = chunk_ids()[0]
    system = Function(lambda _query, k: [known, *(f"page-{i}" for i in range(k - 1))])
    result = run_quality(system, questions=False)
    assert len(result.unknown) == 9 * len(result.query_results)


def test_the_setting_maps_ids(tmp_path, monkeypatch):
    """It works for any system, including asynchronous ones."""
    (tmp_path / "engine_with_ids.py").write_text(
        "def find(query, k):\n    return ['a', 'b'][:k]\n\n\n"
        "async def afind(query, k):\n    return ['a', 'b'][:k]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    with open_system("engine_with_ids:find", {"id": "docs/{id}.txt"}) as system:
        assert [hit.doc_id for hit in system.search("x", 2)] == ["docs/a.txt", "docs/b.txt"]
        assert system.fingerprint()["id"] == "docs/{id}.txt"
        assert not system.can_index
        assert not system.needs_documents
        assert system.places == {}
    with open_system("engine_with_ids:afind", {"id": "{id}.md"}) as system:
        assert system.is_asynchronous
        assert [hit.doc_id for hit in system.search("x", 1)] == ["a.md"]


def test_the_command_ends_with_2(tmp_path, monkeypatch):
    """The error is one line, before any verdict."""
    (tmp_path / "engine_with_other_ids.py").write_text("def find(query, k):\n    return ['x']\n")
    monkeypatch.syspath_prepend(tmp_path)
    result = CliRunner().invoke(main, ["quality", "--system", "engine_with_other_ids:find"])
    assert result.exit_code == 2
    assert "none of the 50 returned ids is one of the golden set" in result.output


def test_a_gate_with_other_ids_ends_with_2(tmp_path, monkeypatch):
    """A verdict would blame the search for a difference in naming."""
    (tmp_path / "engine_of_gate.py").write_text(
        "def find(query, k):\n    return ['/docs/a.html', '/docs/b.html']\n"
    )
    (tmp_path / "queries.jsonl").write_text('{"_id": "q1", "text": "shoe"}\n')
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\n")
    (tmp_path / "berryeval.toml").write_text(
        'judgments = "qrels.txt"\nqueries = "queries.jsonl"\nsystem = "engine_of_gate:find"\n'
        '[[gate.guard]]\nmeasure = "nDCG@10"\nat_least = 0.1\n'
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    result = CliRunner().invoke(main, ["gate"])
    assert result.exit_code == 2, result.output
    assert (
        "none of the 2 returned ids is one of the judgments; returned: '/docs/a.html', "
        "'/docs/b.html'; in the judgments: 'a'; return 'a' instead of '/docs/a.html'"
    ) in result.stderr
    # A search that is only bad gets a verdict.
    (tmp_path / "queries.jsonl").write_text(
        '{"_id": "q1", "text": "shoe"}\n{"_id": "q2", "text": "hat"}\n'
    )
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq2 0 /docs/b.html 0\n")
    assert CliRunner().invoke(main, ["gate"]).exit_code == 1


def test_evaluate_system_refuses_ids_that_a_golden_set_lacks():
    """`berryeval quality` does the same."""
    golden = handbook()
    with pytest.raises(
        MismatchError, match=r"none of the 50 returned ids is one of the golden set"
    ):
        evaluate_system(lambda _query, _k: ["x"], golden.queries, judgments=golden)


def test_queries_with_fewer_hits_are_counted():
    """The note states what was measured, not what was requested."""
    known = chunk_ids()
    asked = []

    def few(_query, k):
        asked.append(1)
        return [Hit(one, 1 / n) for n, one in enumerate(known[:k], 1)][
            : {1: 0, 2: 3}.get(len(asked))
        ]

    notes = quality_notes(run_quality(Function(few), questions=False))
    assert notes[0].startswith("50 queries, up to 10 hits each: fewer for 2 queries, none for 1.")
    whole = quality_notes(run_quality(Function(lambda _query, k: known[:k]), questions=False))
    assert whole[0].startswith("50 queries, 10 hits each.")


@pytest.mark.parametrize(
    ("returned", "setting", "message"),
    [
        ("auth", "id=docs/{id}.md", "map them with the setting id"),
        ("/srv/docs/auth.md", None, "return 'docs/auth.md' instead of '/srv/docs/auth.md'"),
        ("docs/auth.md#3", None, "return 'docs/auth.md' instead of 'docs/auth.md#3'"),
        ("Use a token to sign in.", None, "these are texts; return the ids of documents instead"),
        ("uth", "id={id}.txt", "map them with a setting such as id={id}.txt"),
    ],
)
def test_the_way_out_depends_on_the_ids(returned, setting, message):
    """A setting can add to an id, but not remove anything."""
    error = other_ids("mine", [returned], ["docs/auth.md"], "the judgments")
    assert (str(error).rpartition("; in the judgments: 'docs/auth.md'; ")[2], error.setting) == (
        message,
        setting,
    )


def engine(folder, monkeypatch, code):
    """Write a module, queries, judgments and settings for it."""
    (folder / "engine_of_settings.py").write_text(code)
    (folder / "queries.jsonl").write_text('{"_id": "q1", "text": "shoe"}\n')
    (folder / "qrels.txt").write_text("q1 0 a 1\n")
    (folder / "berryeval.toml").write_text(
        'judgments = "qrels.txt"\nqueries = "queries.jsonl"\nsystem = "engine_of_settings:find"\n'
        '[[gate.guard]]\nmeasure = "nDCG@10"\nat_least = 0.1\n'
    )
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "engine_of_settings", raising=False)


def test_each_command_suggests_what_it_takes(tmp_path, monkeypatch):
    """`-s` where there is such an option, and otherwise the settings file; both then work."""
    engine(tmp_path, monkeypatch, "def find(query):\n    return ['b', 'a', 'b']\n")
    retrieve = ["retrieve", "--system", "engine_of_settings:find", "--queries", "queries.jsonl",
                "-o", "out.run"]  # fmt: skip
    found = CliRunner().invoke(main, retrieve)
    assert found.exit_code == 4
    assert "set duplicates=keep-best (add -s duplicates=keep-best)" in found.stderr
    assert CliRunner().invoke(main, [*retrieve, "-s", "duplicates=keep-best"]).exit_code == 0
    found = CliRunner().invoke(main, ["gate"])
    assert found.exit_code == 4
    way_out = 'duplicates = "keep-best"'
    assert f"(add {way_out} below [system_settings] in berryeval.toml)" in found.stderr
    with (tmp_path / "berryeval.toml").open("a") as settings:
        settings.write(f"[system_settings]\n{way_out}\n")
    assert CliRunner().invoke(main, ["gate"]).exit_code == 0


def test_a_run_of_chunks_says_how_to_write_documents(tmp_path, monkeypatch):
    """Judgments often name documents; without them, the ids are those of the system."""
    hits = "[{'chunk_id': 'c1', 'document_id': 'a', 'text': 'x'}]"
    engine(tmp_path, monkeypatch, f"def find(query):\n    return {hits}\n")
    retrieve = ["retrieve", "--system", "engine_of_settings:find", "--queries", "queries.jsonl",
                "-o", "out.run"]  # fmt: skip
    found = CliRunner().invoke(main, retrieve)
    assert "those of chunks, such as 'c1' of 'a'; to write documents, add -s id=document_id." in (
        found.stderr
    )
    found = CliRunner().invoke(main, [*retrieve, "-s", "id=document_id"])
    assert found.stderr == ""
    assert (tmp_path / "out.run").read_text().startswith("q1 Q0 a 1 ")
    assert CliRunner().invoke(main, ["gate"]).exit_code == 0  # which knows the judgments


def test_a_dict_around_the_hits_is_named():
    """Its lists are no scores."""
    system = Function(lambda _query, _k: {"results": ["a"], "took": 3}, name="mine")
    with pytest.raises(AnswerError, match="got a dict with the keys results, took; return the li"):
        system.search("x", 5)
