"""Creating a golden set from a folder of Markdown."""

import pytest

from berryeval.errors import ArgumentError, FormatError
from berryeval.evaluation.ceilings import check_reachable
from berryeval.golden import read_golden_set
from berryeval.golden.init import _SHARES, init_golden_set
from berryeval.suite.quality import THRESHOLDS
from berryeval.suite.settings import read_settings


@pytest.fixture
def documents(tmp_path):
    folder = tmp_path / "docs"
    (folder / "deep").mkdir(parents=True)
    (folder / "guide.md").write_text("# Guide\n\nBegin here.\n")
    (folder / "deep" / "more.md").write_text("# More\n\nAnd go on.\n")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    return folder


def test_a_new_set_can_be_read_at_once(documents, tmp_path):
    """Only documents are copied, and the example is valid."""
    written = init_golden_set(documents, tmp_path / "golden")
    golden = read_golden_set(tmp_path / "golden")
    assert golden.sources == ("deep/more.md", "guide.md")
    assert golden.guideline in written
    assert len(golden.queries) == len(golden.judged) == 1
    assert not list((tmp_path / "golden").rglob("*.png"))


def test_a_new_set_declares_labels(documents, tmp_path):
    """They are ready to be edited."""
    init_golden_set(documents, tmp_path / "golden")
    golden = read_golden_set(tmp_path / "golden")
    assert golden.scale == 3
    assert golden.labels == ("Not relevant", "Marginal", "Partly answers it", "Answers it")


def test_its_settings_guard_the_measures_of_the_suite(documents, tmp_path):
    """X6: the thresholds are within the best possible means."""
    init_golden_set(documents, tmp_path / "golden")
    settings = read_settings(tmp_path / "golden" / "berryeval.toml")
    assert [str(guard) for guard in settings.gate.guards] == [
        "RR@10 at least 0.7",
        "P@5 at least 0.14",
        "R@10 at least 0.75",
    ]
    golden = read_golden_set(tmp_path / "golden")
    check_reachable(golden.judgments, settings.gate.guards)
    assert _SHARES == THRESHOLDS, "shares of what the suite requires"


def test_a_folder_inside_the_documents_does_not_copy_itself(documents):
    """The set may be inside the folder of documents."""
    init_golden_set(documents, documents / "golden")
    golden = read_golden_set(documents / "golden")
    assert golden.sources == ("deep/more.md", "guide.md")


def test_judgments_are_never_overwritten(documents, tmp_path):
    """A folder that is not empty is not changed."""
    init_golden_set(documents, tmp_path / "golden")
    with pytest.raises(ArgumentError, match="a new or empty folder"):
        init_golden_set(documents, tmp_path / "golden")


@pytest.mark.parametrize("content", [None, "", "# A heading alone\n"])
def test_a_folder_without_text_is_an_error(tmp_path, content):
    """There is nothing to search."""
    folder = tmp_path / "docs"
    if content is not None:
        folder.mkdir()
        (folder / "a.md").write_text(content)
    with pytest.raises(FormatError, match="expected"):
        init_golden_set(folder, tmp_path / "golden")
    assert not (tmp_path / "golden").exists()


def test_a_path_that_cannot_be_written_is_named(documents, tmp_path):
    """A file in place of a folder is an error with its name."""
    (tmp_path / "file").write_text("")
    with pytest.raises(FormatError, match="cannot be written"):
        init_golden_set(documents, tmp_path / "file" / "golden")
