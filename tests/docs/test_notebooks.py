"""The tutorials as notebooks, run without Jupyter."""

import json
import re
import shutil

import notebooks
import pytest

NOTEBOOKS = [notebooks.NOTEBOOKS / f"{page.stem}.ipynb" for page in notebooks.TUTORIALS]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_its_page(path):
    """It is what `python scripts/notebooks.py` writes, and there are no other notebooks."""
    page = notebooks.ROOT / "docs" / "tutorials" / f"{path.stem}.md"
    written = notebooks.dump(notebooks.to_notebook(page.read_text(encoding="utf-8")))
    assert path.read_text(encoding="utf-8") == written
    assert sorted(notebooks.NOTEBOOKS.iterdir()) == NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_its_cells_print(path, tmp_path):
    """It runs in an empty folder, since readers download it alone; dots stand for omitted lines."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    cells = notebooks.run(notebook, tmp_path)
    assert sum(bool(expected) for _, expected, _ in cells) >= 7
    for source, expected, shown in cells:
        lines = [re.escape(line) + "\n" for line in expected.splitlines()]
        pattern = "".join("(?:.*\n)*" if line == r"\.\.\." + "\n" else line for line in lines)
        assert not expected or re.fullmatch(pattern, shown), f"{source}\n{shown}"


def test_a_changed_output_is_noticed(tmp_path):
    """The comparison of the test above can fail."""
    shutil.copy(NOTEBOOKS[0], tmp_path)
    notebook = notebooks.to_notebook("# A page\n\n```pycon\n>>> 1 + 1\n3\n```\n")
    [_, (source, expected, shown)] = notebooks.run(notebook, tmp_path)
    assert (source, expected, shown) == ("1 + 1", "3\n", "2\n")


def test_links_of_a_notebook_lead_to_the_site():
    """Readers have it without the other pages."""
    for path in NOTEBOOKS:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"\]\(\.\.?/|\]\([\w-]+\.md", text)
        assert f"]({notebooks.SITE.removesuffix('tutorials/')}" in text
