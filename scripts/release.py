"""Cut a release: write its version, also where pages show it, and its section in the changelog.

    python scripts/release.py 1.2.0     write the version, the pages and the changelog
    python scripts/release.py --check   only check what is there
    python scripts/release.py --version print the version
    python scripts/release.py --notes   print the changes of that version

A version that changes a number is a major version: if the section Scores of what is unreleased has
entries, the first number has to rise (docs/reference/versions.md). Nothing is written if a check
fails.
"""

from __future__ import annotations

import argparse
import datetime as dt
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = Path("src/berryeval/__init__.py")
CHANGELOG = Path("CHANGELOG.md")
VERSION = re.compile(r'^__version__ = "(?P<version>[^"]*)"$', re.MULTILINE)
SEMANTIC = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
HEADING = re.compile(r"^## \[(?P<name>[^\]]+)\](?: - (?P<date>\d{4}-\d{2}-\d{2}))?$", re.MULTILINE)
UNRELEASED = "Unreleased"
PAGES = ("README.md", "docs/**/*.md", "templates/*.yml")
SHOWN = re.compile(
    r"(?P<before>\bberryeval@v|\bberryeval/gate@v|\brev: v|^berryeval )(?P<version>\d+\.\d+\.\d+)$",
    re.MULTILINE,
)
"""The action, the component, the hook, and what `berryeval version` prints."""


class ReleaseError(Exception):
    """The release cannot be cut, or its files disagree."""


def parse(version: str) -> tuple[int, ...]:
    """Return the three numbers of a version."""
    if not SEMANTIC.fullmatch(version):
        raise ReleaseError(f"expected a version such as 1.2.0, found {version!r}")
    return tuple(map(int, version.split(".")))


def current_version(root: Path) -> str:
    """Return the version that the package states."""
    found = VERSION.search((root / SOURCE).read_text(encoding="utf-8"))
    if found is None:
        raise ReleaseError(f'{SOURCE}: expected a line __version__ = "…"')
    return found["version"]


def sections(changelog: str) -> dict[str, str]:
    """Return the text of each version of the changelog, newest first."""
    parts = HEADING.split(changelog)[1:]
    return dict(zip(parts[::3], (text.strip() for text in parts[2::3]), strict=True))


def iter_pages(root: Path) -> Iterator[tuple[Path, str]]:
    """Iterate over the pages that show a version, with their text."""
    for pattern in PAGES:
        for path in sorted(root.glob(pattern)):
            text = path.read_text(encoding="utf-8")
            if SHOWN.search(text):
                yield path, text


def check(root: Path) -> str:
    """Check that version, pages and changelog agree, and return the version.

    The newest section after Unreleased, if there is one, is that of the package's version.
    """
    version = current_version(root)
    parse(version)
    names = list(sections((root / CHANGELOG).read_text(encoding="utf-8")))
    if names[:1] != [UNRELEASED]:
        raise ReleaseError(f"{CHANGELOG}: expected the section [{UNRELEASED}] first")
    released = [parse(name) for name in names[1:]]
    if released != sorted(set(released), reverse=True):
        raise ReleaseError(f"{CHANGELOG}: expected each version once, newest first")
    if names[1:] and names[1] != version:
        raise ReleaseError(f"{SOURCE} has version {version}, {CHANGELOG} has {names[1]}")
    for path, text in iter_pages(root):
        for shown in SHOWN.finditer(text):
            if shown["version"] != version:
                line = text.count("\n", 0, shown.start()) + 1
                where = f"{path.relative_to(root)}:{line}"
                raise ReleaseError(f"{where}: expected version {version}, found {shown['version']}")
    return version


def check_step(old: str, new: str, unreleased: str, *, is_first: bool) -> None:
    """Check that a new version says what changed."""
    before, after = parse(old), parse(new)
    if after < before or (after == before and not is_first):
        raise ReleaseError(f"expected a version above {old}, found {new}")
    if not unreleased:
        raise ReleaseError(f"{CHANGELOG}: [{UNRELEASED}] is empty; there is nothing to release")
    if is_first or after[0] > before[0]:
        return
    for title in ("Scores", "Removed"):
        if re.search(rf"^### {title}$", unreleased, re.MULTILINE):
            raise ReleaseError(
                f"{CHANGELOG}: [{UNRELEASED}] has a section {title}, which requires version "
                f"{before[0] + 1}.0.0 or higher, found {new}"
            )


def cut(root: Path, version: str, date: dt.date) -> None:
    """Write the version and the date of a release into the package, its pages and changelog."""
    old = check(root)
    changelog = (root / CHANGELOG).read_text(encoding="utf-8")
    known = sections(changelog)
    check_step(old, version, known[UNRELEASED], is_first=len(known) == 1)
    heading = f"## [{UNRELEASED}]\n\n## [{version}] - {date.isoformat()}"
    changelog = changelog.replace(f"## [{UNRELEASED}]", heading, 1)
    source = (root / SOURCE).read_text(encoding="utf-8")
    (root / SOURCE).write_text(
        VERSION.sub(f'__version__ = "{version}"', source, count=1), encoding="utf-8"
    )
    (root / CHANGELOG).write_text(changelog, encoding="utf-8")
    for path, text in iter_pages(root):
        path.write_text(SHOWN.sub(rf"\g<before>{version}", text), encoding="utf-8")


def notes(root: Path) -> str:
    """Return what the changelog says about the package's version."""
    version = check(root)
    known = sections((root / CHANGELOG).read_text(encoding="utf-8"))
    if version not in known:
        raise ReleaseError(f"{CHANGELOG}: there is no section [{version}]")
    return known[version]


def main() -> None:
    """Cut, check or print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT)
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("new_version", nargs="?")
    for name in ("check", "notes", "version"):
        action.add_argument(f"--{name}", action="store_true")
    wanted = parser.parse_args()
    try:
        if wanted.check:
            print(f"{check(wanted.root)}: package, pages and changelog agree")
        elif wanted.version:
            print(current_version(wanted.root))
        elif wanted.notes:
            print(notes(wanted.root))
        else:
            cut(wanted.root, wanted.new_version, dt.datetime.now(tz=dt.timezone.utc).date())
            print(f"Wrote version {wanted.new_version} into package, pages and changelog")
    except ReleaseError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
