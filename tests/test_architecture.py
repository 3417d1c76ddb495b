"""The source tree in ARCHITECTURE.md."""

from collections.abc import Iterator
from pathlib import Path

import berryeval

SOURCE = Path(berryeval.__file__).parent
PAGE = Path(__file__).parent.parent / "ARCHITECTURE.md"
LEVELS = 2
INDENT = 2
DESCRIPTIONS = 20
"""Lines that are indented further continue the description of the previous line."""


def drawn() -> Iterator[str]:
    """Iterate over the paths below src/berryeval on the page; folders end in a slash."""
    _, _, rest = PAGE.read_text("utf-8").partition("\nsrc/berryeval/\n")
    parents: dict[int, str] = {0: ""}
    for line in rest.splitlines():
        indent = len(line) - len(line.lstrip())
        if indent == 0:
            return
        if indent > DESCRIPTIONS:
            continue
        for name in line.split():
            if not name.endswith(("/", ".py")):
                break
            path = parents[indent - INDENT] + name
            parents[indent] = path
            yield path


def test_every_package_is_listed():
    """Two levels are required, and deeper ones are optional."""
    packages = {
        f"{file.parent.relative_to(SOURCE).as_posix()}/"
        for file in SOURCE.rglob("__init__.py")
        if 1 <= len(file.parent.relative_to(SOURCE).parts) <= LEVELS
    }
    assert packages - {*drawn()} == set()


def test_every_listed_path_exists():
    """The page must follow a folder that moves."""
    paths = [*drawn()]
    assert len(paths) == len({*paths})
    assert [path for path in paths if not (SOURCE / path).exists()] == []


def test_the_page_is_short():
    """It has fewer than 150 lines, so that people read it completely."""
    assert len(PAGE.read_text("utf-8").splitlines()) < 150
