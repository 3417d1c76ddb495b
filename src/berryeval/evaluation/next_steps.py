"""What to look at after a verdict: the queries that lost most, and the commands that show why."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from berryeval.evaluation.figures import signed

if TYPE_CHECKING:
    from berryeval.core.judging import Judges
    from berryeval.evaluation.comparison import Comparison, QueryChange
    from berryeval.measures import Measure

__all__ = ["N_LOST", "UNSAVED_RUN", "GateFiles", "Losses", "find_losses", "of_losses"]

N_LOST = 3
"""How many queries are named."""

UNSAVED_RUN = "candidate.run"
"""The file that commands name for a run that was not read from one."""


@dataclass(frozen=True)
class GateFiles:
    """The files that a gate compared, as commands take them."""

    judgments: str
    baseline: str
    run: str | None = None
    """None if the run is not in a file: a system was searched."""
    queries: str | None = None
    documents: str | None = None
    judges: Judges = "first"
    lengths: str | None = None

    @property
    def way_to_keep(self) -> str | None:
        """The command that writes the run to a file; None if it is in one."""
        return f"berryeval gate --save-run {UNSAVED_RUN}" if self.run is None else None

    def explain_command(self, query_id: str, measure: Measure) -> str:
        """Return the command that explains the change of a query, with what overtook documents."""
        run = self.run or UNSAVED_RUN
        named = {
            "--queries": self.queries, "--documents": self.documents, "--lengths": self.lengths
        }  # fmt: skip
        others = [text for flag, file in named.items() if file is not None for text in (flag, file)]
        return shlex.join([
            "berryeval", "explain", self.judgments, self.baseline, run,
            "--query", query_id, "-m", str(measure), "--all", *others, *self._judges,
        ])  # fmt: skip

    def holes_command(self, measure: Measure) -> str:
        """Return the command that lists the unjudged documents."""
        run = self.run or UNSAVED_RUN
        return shlex.join([
            "berryeval", "holes", self.judgments, run, "--against", self.baseline,
            "-m", str(measure), *self._judges,
        ])  # fmt: skip

    @property
    def _judges(self) -> Sequence[str]:
        return () if self.judges == "first" else ("--judges", self.judges)

    def with_run_kept(self, command: str) -> str:
        """Return a command between backticks, after the one that keeps the run, if it is needed."""
        keep = self.way_to_keep
        return f"`{command}`" if keep is None else f"`{keep}` and then `{command}`"


@dataclass(frozen=True)
class Losses:
    """The queries that lost most in the measure of the guard that decided."""

    measure: Measure
    queries: tuple[QueryChange, ...]
    """At least one, the greatest loss first."""


def find_losses(
    comparison: Comparison, system: str, measure: Measure, slice_ids: Collection[str] | None = None
) -> Losses | None:
    """Return the queries that lost most, of all or of a slice; None if none lost."""
    among = set(comparison.query_ids if slice_ids is None else slice_ids)
    if slice_ids is None:
        changes = comparison.changed_most(system, measure, N_LOST)
    else:
        changes = comparison.changes(system, measure)
    lost = (one for one in changes if one.outcome == "worse" and one.query_id in among)
    found = tuple(islice(lost, N_LOST))
    return Losses(measure, found) if found else None


def of_losses(losses: Losses, files: GateFiles | None) -> str:
    """Return a sentence that names the queries, and the command that explains the first one."""
    named = ", ".join(f"{one.query_id} {signed(one.difference)}" for one in losses.queries)
    sentence = f"Queries that lost most in {losses.measure}: {named}."
    if files is None:
        return sentence
    command = files.explain_command(losses.queries[0].query_id, losses.measure)
    return f"{sentence} To see why, run {files.with_run_kept(command)}."
