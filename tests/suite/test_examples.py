"""The examples that the package includes."""

import json

import pytest

from berryeval.errors import FormatError, NotFoundError
from berryeval.suite import examples


def test_examples_are_copied_whole(tmp_path):
    """Every file of the documentation is copied, and none that tests leave behind."""
    copies = examples.copy_examples(tmp_path / "new")
    source = examples.examples_folder()
    for path in copies:
        assert path.read_bytes() == (source / path.relative_to(tmp_path / "new")).read_bytes()
    names = {path.relative_to(tmp_path / "new").as_posix() for path in copies}
    assert {"runs/qrels.txt", "rag_project/rag_app.py", "search_project/berryeval.toml"} <= names
    assert not [name for name in names if "__pycache__" in name or ".pytest_cache" in name]


def test_existing_files_are_kept_unless_replaced(tmp_path):
    """An existing file stops the copy before anything is written."""
    mine = tmp_path / "runs" / "words.run"
    mine.parent.mkdir()
    mine.write_text("mine")
    with pytest.raises(FormatError, match=r"words\.run: exists already; use --force"):
        examples.copy_examples(tmp_path)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["words.run"]
    examples.copy_examples(tmp_path, force=True)
    assert mine.read_text() != "mine"


def test_a_package_without_examples_says_so(tmp_path, monkeypatch):
    """The folder that was expected is named."""
    monkeypatch.setattr(examples, "_PACKAGE", tmp_path / "site-packages" / "x" / "berryeval")
    with pytest.raises(NotFoundError, match=r"there is no folder .*berryeval/examples"):
        examples.examples_folder()


def test_the_example_of_a_rag_project_has_the_help_centre():
    """Its articles, questions and judgments are those of the tutorial."""
    folder = examples.examples_folder()
    data = json.loads((folder / "help_centre.json").read_text(encoding="utf-8"))
    project = folder / "rag_project"
    assert json.loads((project / "articles.json").read_text("utf-8")) == data["documents"]

    def lines(name):
        text = (project / "golden" / name).read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]

    queries = {one["id"]: one["query"] for one in lines("queries.jsonl")}
    assert queries == {one["id"]: one["query"] for one in data["queries"]}
    judgments = lines("judgments.jsonl")
    grades = {(one["query_id"], one["doc_id"]): one["relevance"] for one in judgments}
    assert grades == {
        (one["id"], name): grade
        for one in data["queries"]
        for name, grade in one["relevant"].items()
    }
