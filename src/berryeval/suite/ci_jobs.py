"""Jobs for CI services that run ``berryeval gate`` on every change."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, get_args

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
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: python -m pip install {packages}
      - run: berryeval gate --report gate.md --report gate.html
      - if: always()
        run: if [ -f gate.md ]; then cat gate.md >> "$GITHUB_STEP_SUMMARY"; fi
"""
_GITLAB = """\
# Fails when search gets worse. The merge request lists the guards that failed.
search-quality:
  image: python:3.12
  script:
    - python -m pip install {packages}
    - berryeval gate --report gate.html --report gate.xml
  artifacts:
    when: always
    paths: [gate.html]
    reports:
      junit: gate.xml
"""
_FILES: dict[CiService, tuple[str, str]] = {
    "github": (".github/workflows/search-quality.yml", _GITHUB),
    "gitlab": (".gitlab-ci.yml", _GITLAB),
}


@dataclass(frozen=True)
class CiJob:
    """A file that a CI service reads."""

    path: Path
    text: str


def job_for(service: CiService, folder: Path) -> CiJob:
    """Return the job for a project, which installs the packages that the project declares."""
    name, template = _FILES[service]
    if (folder / "requirements.txt").is_file():
        packages = "berryeval -r requirements.txt"
    elif (folder / "pyproject.toml").is_file():
        packages = "berryeval ."
    else:
        packages = "berryeval"
    return CiJob(folder / name, template.format(packages=packages))
