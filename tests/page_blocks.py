"""Blocks of code in README and documentation, and the commands in them."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

_FENCE = re.compile(
    r'^( *)```(\w*)(?: title="([^"]+)")?[^\n]*\n(.*?)^\1```$', re.DOTALL | re.MULTILINE
)
_SESSION = re.compile(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: str
    """The path of its page in the repository."""
    line: int
    language: str
    title: str
    """The name of the file that the block shows; may be empty."""
    body: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def commands(self) -> list[tuple[str, str]]:
        """The commands of a console or of a script, each with the output that the page shows."""
        body = self.body.replace("\\\n", "")
        if self.language == "console":
            return _SESSION.findall(body)
        lines = (re.sub(r"\s+#.*", "", line) for line in body.splitlines())
        return [(line.strip(), "") for line in lines if line.strip()]


def blocks_of(page: Path) -> list[Block]:
    """Return the blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(
            str(page.relative_to(ROOT)),
            text.count("\n", 0, found.start()) + 1,
            found[2],
            found[3] or "",
            re.sub(rf"^{found[1]}", "", found[4], flags=re.MULTILINE),
        )
        for found in _FENCE.finditer(text)
    ]
