"""Collect runs of the TREC Deep Learning tracks from the history of RankLLM.

``python scripts/rank_llm_runs.py RANK_LLM ANSERINI_TOOLS FOLDER`` reads clones of
castorini/rank_llm and castorini/anserini-tools, and writes ``FOLDER/TREC DL 2019-20`` with
``qrels.txt`` and one run per system: 97 queries of the passage tasks of 2019 and 2020. These are
the runs of docs/explanation/model-judgments.md (``simulate_judges.py --runs FOLDER``).

A system is a first stage, or a language model that reranked one with a number of passages at once.
Those that have both years are used, each with its latest file.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from pathlib import Path

NAME = "TREC DL 2019-20"
YEARS = ("dl19", "dl20")
_FIRST_STAGE = re.compile(r"retrieve_results/(?P<system>\w+)/trec_results_(?P<year>dl\d\d)\.txt")
_RERANKED = re.compile(
    r"rerank_results/(?P<system>\w+/.+_4096_\d+)_PromptMode\.RANK_GPT_(?P<year>dl\d\d)_(?P<time>.+)\.txt"
)


def main() -> None:
    """Write the folder."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for name in ("rank_llm", "anserini_tools", "folder"):
        options.add_argument(name, type=Path)
    chosen = options.parse_args()
    folder = chosen.folder / NAME
    folder.mkdir(parents=True, exist_ok=True)
    found = _objects(chosen.rank_llm)
    systems = sorted({system for system, _ in found})
    kept = [system for system in systems if all((system, year) in found for year in YEARS)]
    for system in kept:
        texts = [_git(chosen.rank_llm, "cat-file", "blob", found[system, year]) for year in YEARS]
        (folder / f"{system.replace('/', ' ')}.run").write_text("".join(texts), encoding="utf-8")
    files = [f"HEAD:qrels/qrels.{year}-passage.txt" for year in YEARS]
    texts = [_git(chosen.anserini_tools, "show", file) for file in files]
    (folder / "qrels.txt").write_text("".join(texts), encoding="utf-8")
    print(f"Wrote {len(kept)} runs to {folder}.")


def _objects(repository: Path) -> dict[tuple[str, str], str]:
    """Return the latest file of each system and year, in any commit."""
    listed = _git(repository, "rev-list", "--all", "--objects", "--missing=allow-any")
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for line in listed.splitlines():  # the latest version of a path comes first
        name, _, path = line.partition(" ")
        match = _FIRST_STAGE.fullmatch(path) or _RERANKED.fullmatch(path)
        if match is None:
            continue
        key, time = (match["system"], match["year"]), match.groupdict().get("time", "")
        if key not in found or time > found[key][0]:
            found[key] = time, name
    return {key: name for key, (_, name) in found.items()}


def _git(repository: Path, *arguments: str) -> str:
    command = ["git", "-C", str(repository), *arguments]
    return subprocess.run(  # noqa: S603 - the names of a clone and its objects
        command, check=True, capture_output=True, text=True
    ).stdout


if __name__ == "__main__":
    main()
