"""What a run is held against where nobody says otherwise."""

from __future__ import annotations

from typing import NamedTuple

from berryeval.archive import Archive
from berryeval.archive.records import StoredRun
from berryeval.service.workbench.choosing import MAIN
from berryeval.service.workbench.run_directory import Directory

__all__ = ["HeldAgainst", "held_against"]


class HeldAgainst(NamedTuple):
    """A run that another is held against."""

    run: StoredRun
    baseline: str | None
    """The name of the baseline that it is; None for the run before."""

    @property
    def name(self) -> str:
        """What sentences call it."""
        return self.baseline or "the run before"

    def has_other_documents(self, run: StoredRun) -> bool:
        """Whether a run is known to have searched another corpus."""
        corpora = run.facts.corpus_hash, self.run.facts.corpus_hash
        return None not in corpora and corpora[0] != corpora[1]


def held_against(archive: Archive, directory: Directory, run: StoredRun) -> HeldAgainst | None:
    """Return the baseline ``main``, or the run before in the series; None if there is neither."""
    main = archive.baselines.get(MAIN)
    if main is not None and main.run_id != run.run_id and main.run_id in directory.by_id:
        return HeldAgainst(directory.by_id[main.run_id], MAIN)
    before = directory.before(run)
    return None if before is None else HeldAgainst(before, None)
