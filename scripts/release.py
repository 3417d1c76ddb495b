"""Cut a release: write its version, and give it a section in the changelog.

    python scripts/release.py 1.2.0     write the version and the changelog
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
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = Path("src/berryeval/__init__.py")
CHANGELOG = Path("CHANGELOG.md")
VERSION = re.compile(r'^__version__ = "(?P<version>[^"]*)"$', re.MULTILINE)
SEMANTIC = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
HEADING = re.compile(r"^## \[(?P<name>[^\]]+)\](?: - (?P<date>\d{4}-\d{2}-\d{2}))?$", re.MULTILINE)
UNRELEASED = "Unreleased"


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


def check(root: Path) -> str:
    """Check that version and changelog agree, and return the version.

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
    """Write the version and the date of a release into the package and the changelog."""
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
            print(f"{check(wanted.root)}: package and changelog agree")
        elif wanted.version:
            print(current_version(wanted.root))
        elif wanted.notes:
            print(notes(wanted.root))
        else:
            cut(wanted.root, wanted.new_version, dt.datetime.now(tz=dt.timezone.utc).date())
            print(f"Wrote version {wanted.new_version} into {SOURCE} and {CHANGELOG}")
    except ReleaseError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
