"""The Python examples in README and documentation, executed."""

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```pycon\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def pages_with_examples() -> list[Path]:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in pages if ">>>" in page.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", pages_with_examples(), ids=lambda page: page.name)
def test_examples_print_the_output_on_the_page(page, monkeypatch):
    """All blocks of a page form one session in the root of the repository."""
    monkeypatch.chdir(ROOT)
    text = page.read_text(encoding="utf-8")
    blocks = BLOCK.findall(text)
    assert "".join(blocks).count(">>>") == text.count(">>>"), "an example outside a pycon block"
    session = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page.name, str(page), 0)
    failures: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS).run(
        session, out=failures.append
    )
    assert not failures, "".join(failures)


def test_readme_and_tutorials_have_examples():
    """The previous test must not pass because there are no pages."""
    names = {page.name for page in pages_with_examples()}
    assert {"README.md", "first-evaluation.md", "arrays.md"} <= names
