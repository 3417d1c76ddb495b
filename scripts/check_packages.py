"""Check a built wheel and source distribution: what they contain, and what they say of themselves.

    python scripts/check_packages.py dist/

Exits with 1 and one line per fault.
"""

from __future__ import annotations

import email
import re
import sys
import tarfile
import zipfile
from collections.abc import Iterable
from email.message import Message
from pathlib import Path

LICENSES = ("LICENSE", "licenses/htmx.txt", "licenses/nanobind.txt", "licenses/robin-map.txt")
IN_WHEEL = (
    "berryeval/__init__.py",
    "berryeval/py.typed",
    "berryeval/examples/help_centre.json",
    "berryeval/examples/notebooks/from-runs-to-a-gate.ipynb",
    "berryeval/examples/rag_project/rag_app.py",
    "berryeval/examples/runs/qrels.txt",
    "berryeval/golden/handbook/GUIDELINE.md",
    "berryeval/golden/handbook/relevance-judgments.json",
    "berryeval/service/workbench/static/vendor/htmx.min.js",
    "berryeval/suite/demo_rankings.json",
)
IN_SDIST = (
    *LICENSES,
    "CHANGELOG.md",
    "CMakeLists.txt",
    "README.md",
    "SECURITY.md",
    "docs/index.md",
    "examples/runs/qrels.txt",
    "native/bindings/module.cpp",
    "pyproject.toml",
    "scripts/building/berryeval_build.py",
    "scripts/building/long_description.py",
    "src/berryeval/golden/handbook/GUIDELINE.md",
    "src/berryeval/service/workbench/static/vendor/htmx.min.js",
    "tests/conftest.py",
)
STRAY = re.compile(r"(^|/)(__pycache__|\.git|\.venv|\.pytest_cache|\.cache|build|site)(/|$)|\.pyc$")
RELATIVE = re.compile(r"\]\((?![a-z]+:|#)[^)]*\)|\bsrc(?:set)?=\"(?![a-z]+:)[^\"]*\"")
LABELS = ("Changelog", "Documentation", "Issues", "Source")


def wheel_faults(path: Path) -> list[str]:
    """Return what is wrong with a wheel."""
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        [info] = [name.split("/")[0] for name in names if name.endswith(".dist-info/METADATA")]
        metadata = email.message_from_bytes(wheel.read(f"{info}/METADATA"))
    wanted = (*IN_WHEEL, *(f"{info}/licenses/{name}" for name in LICENSES))
    roots = {name.split("/")[0] for name in names} - {"berryeval", info}
    natives = [name for name in names if name.endswith((".so", ".pyd"))]
    faults = [*_missing(wanted, names), *(f"unexpected {root}" for root in sorted(roots))]
    if path.stem.endswith("-none-any"):
        faults += [f"pure, but has {name}" for name in natives]
    elif len(natives) != 1:
        faults.append(f"expected one extension, found {natives}")
    return [*faults, *_metadata_faults(metadata), *_stray(names)]


def sdist_faults(path: Path) -> list[str]:
    """Return what is wrong with a source distribution."""
    with tarfile.open(path) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
        root = path.name.removesuffix(".tar.gz")
        content = archive.extractfile(f"{root}/PKG-INFO")
        assert content is not None
        metadata = email.message_from_bytes(content.read())
    return [*_missing(IN_SDIST, names), *_metadata_faults(metadata), *_stray(names)]


def _missing(wanted: Iterable[str], names: Iterable[str]) -> list[str]:
    found = set(names)
    return [f"without {name}" for name in wanted if name not in found]


def _stray(names: Iterable[str]) -> list[str]:
    return [f"stray file {name}" for name in names if STRAY.search(name)]


def _metadata_faults(metadata: Message) -> list[str]:
    text = str(metadata.get_payload())
    outside_code = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    faults = [f"relative link {link}" for link in RELATIVE.findall(outside_code)]
    labels = {str(entry).partition(",")[0] for entry in metadata.get_all("Project-URL", [])}
    faults += [f"no address of {label}" for label in LABELS if label not in labels]
    if not text.startswith("# BerryEval"):
        faults.append("the long description is not README")
    return faults


def main() -> None:
    """Check every package of a folder; there must be one of each kind."""
    folder = Path(sys.argv[1])
    wheels, sdists = sorted(folder.glob("*.whl")), sorted(folder.glob("*.tar.gz"))
    faults = [] if wheels and len(sdists) == 1 else [f"{folder}: expected wheels and one sdist"]
    for path in wheels:
        faults += [f"{path.name}: {fault}" for fault in wheel_faults(path)]
    for path in sdists:
        faults += [f"{path.name}: {fault}" for fault in sdist_faults(path)]
    if faults:
        sys.exit("\n".join(faults))
    print(f"{len(wheels)} wheel(s) and the source distribution are complete")


if __name__ == "__main__":
    main()
