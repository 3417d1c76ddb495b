"""Jobs for CI services that run ``berryeval gate`` on every change."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from berryeval import __version__

__all__ = ["CI_SERVICES", "CiJob", "CiService", "job_for"]

CiService: TypeAlias = Literal["github", "gitlab"]
CI_SERVICES: tuple[CiService, ...] = get_args(CiService)

_GITHUB = """\
# Fails when search gets worse. The summary of the job shows the verdict.
name: Search quality
on:
  push:
    branches: [main]
  pull_request:

permissions:
  contents: read

jobs:
  gate:
    runs-on: ubuntu-latest{folder}
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: python -m pip install {packages}
      - run: berryeval gate --report gate.md --report gate.html
      - if: always()
        run: if [ -f gate.md ]; then cat gate.md >> "$GITHUB_STEP_SUMMARY"; fi
      - if: always()
        uses: actions/upload-artifact@v4
        with:
          name: gate
          path: {place}gate.html
          if-no-files-found: ignore
"""
_GITLAB = """\
# Fails when search gets worse. The merge request lists the guards that failed.
search-quality:
  image: python:3.12
  script:{folder}
    - python -m pip install {packages}
    - berryeval gate --report gate.html --report gate.xml
  artifacts:
    when: always
    paths: [{place}gate.html]
    reports:
      junit: {place}gate.xml
"""
_IN_FOLDER: dict[CiService, str] = {
    "github": "\n    defaults:\n      run:\n        working-directory: {folder}",
    "gitlab": "\n    - cd {folder}",
}
_FILES: dict[CiService, tuple[str, str]] = {
    "github": (".github/workflows/search-quality{suffix}.yml", _GITHUB),
    "gitlab": (".gitlab-ci.yml", _GITLAB),
}


@dataclass(frozen=True)
class CiJob:
    """A file that a CI service reads."""

    path: Path
    text: str
    folder: str = ""
    """The folder of the project in the repository, if it is not the root."""
    include: str = ""
    """The line that has to be added to an existing ``.gitlab-ci.yml``; empty if none."""


def job_for(service: CiService, folder: Path) -> CiJob:
    """Return the job for a project, which installs the packages that the project declares.

    CI services read files only at the root of a repository. The job of a project in a folder below
    it is written there, and runs in that folder.
    """
    root = _root_of(folder)
    inner = "" if root is None else folder.resolve().relative_to(root.resolve()).as_posix()
    name, template = _FILES[service]
    is_inner = root is not None and inner not in ("", ".")
    suffix = "-" + re.sub(r"[/ ]", "-", inner) if is_inner else ""
    base = root if root is not None and is_inner else folder
    include = ""
    if service == "gitlab" and _has_own_jobs(base / name):
        name = ".gitlab/search-quality{suffix}.yml"
        include = f"include: /{name.format(suffix=suffix)}"
    path = base / name.format(suffix=suffix)
    if not is_inner:
        return CiJob(path, _text(template, folder, "", ""), "", include)
    quoted = json.dumps(inner) if re.search(r"[^\w./-]", inner) else inner
    text = _text(template, folder, _IN_FOLDER[service].format(folder=quoted), f"{inner}/")
    return CiJob(Path(os.path.relpath(path)), text, inner, include)


def _has_own_jobs(path: Path) -> bool:
    """Whether a project has a file of jobs that is not the one written here."""
    return path.is_file() and not path.read_text("utf-8", "replace").startswith(_GITLAB[:40])


def _root_of(folder: Path) -> Path | None:
    """Return the root of the Git repository that contains a folder; None without one."""
    whole = folder.resolve()
    return next((one for one in (whole, *whole.parents) if (one / ".git").exists()), None)


def _text(template: str, folder: Path, inner: str, place: str) -> str:
    """Fill in a template; requirements are those of the project, or of its repository."""
    major, minor, *_ = __version__.split(".")
    packages = f"berryeval~={major}.{minor}"
    for base in (folder, _root_of(folder) or folder):
        up = os.path.relpath(base.resolve(), folder.resolve())
        if (base / "requirements.txt").is_file():
            packages += f" -r {Path(up, 'requirements.txt').as_posix()}"
            break
        if (base / "pyproject.toml").is_file():
            packages += f" {Path(up).as_posix()}"
            break
    return template.format(packages=packages, folder=inner, place=place)
