"""The installed package contains the pinned scripts of the pages."""

import base64
import hashlib
import runpy
from pathlib import Path

import pytest

import berryeval

PINNED = runpy.run_path(
    str(Path(__file__).parents[1] / "scripts" / "building" / "npm_scripts.py"), run_name="pinned"
)["PACKAGES"]
FOLDER = Path(berryeval.__file__).parent / "service" / "workbench" / "static" / "vendor"


@pytest.mark.parametrize(
    ("name", "expected"),
    [(name, known) for package in PINNED for name, (_, known) in package.files.items()],
)
def test_the_package_contains_the_pinned_script(name, expected):
    """A wheel from a clone or a source distribution needs no network."""
    path = FOLDER / name
    assert path.exists(), f"the build could not fetch it: install npm, or see {__file__}"
    found = base64.b64encode(hashlib.sha512(path.read_bytes()).digest()).decode()
    assert f"sha512-{found}" == expected


def test_every_third_party_file_is_pinned():
    """The folder contains no others."""
    known = {name for package in PINNED for name in package.files}
    assert {path.name for path in FOLDER.iterdir()} <= known
