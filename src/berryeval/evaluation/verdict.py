"""What a gate decided, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from berryeval.evaluation.comparison import Comparison
from berryeval.evaluation.figures import p_text, score, shown_interval
from berryeval.evaluation.findings import ROUNDING
from berryeval.evaluation.gate_rules import GateRules, Inference, Verdict
from berryeval.evaluation.guards import Guard, MarginGuard
from berryeval.evaluation.holes import Hole
from berryeval.evaluation.labelled import RestsOn
from berryeval.evaluation.memory import Memory, levels_of
from berryeval.evaluation.next_steps import GateFiles, Losses, of_losses
from berryeval.evaluation.reserve import Opening
from berryeval.evaluation.result import Displayed, Evaluation
from berryeval.evaluation.slices import Slice
from berryeval.stats import Interval

__all__ = ["Common", "GateResult", "GuardResult", "Inference", "Verdict", "name_of_run"]

_NAMES = {"baseline": "the baseline", "candidate": "the candidate"}


def name_of_run(name: str) -> str:
    """Return the name of a run in sentences, which may have no name of its own."""
    return _NAMES.get(name, name)


@dataclass(frozen=True, eq=False)
class GuardResult:
    """The verdict of one guard, over all queries or a slice."""

    guard: Guard
    slice: Slice | None
    verdict: Verdict
    reason: str
    """One sentence."""
    n_queries: int
    value: float
    """The value that is compared with the limit: the candidate's mean, the mean difference from the
    baseline, or milliseconds."""
    limit: float
    """The threshold, the largest drop that is accepted (a rise where lower is better), or the
    milliseconds allowed."""
    is_watched: bool = False
    """Whether it is only reported, and does not count for the gate."""
    interval: Interval | None = None
    """Interval of the value, not adjusted for other guards; None where nothing is tested."""
    p_pass: float | None = None
    """P-value of the hypothesis that the drop is the margin or more."""
    p_fail: float | None = None
    """P-value of the hypothesis that the drop is the margin or less, adjusted over all margin
    guards by Holm's method."""
    n_changed: int | None = None
    """Queries whose score changed, or groups with such a query; for margin guards."""
    n_groups: int | None = None
    """Groups of queries, a query without one counting as its own; None if no query has one."""
    effective_queries: float | None = None
    """Equivalent number of queries of equal weight (Kish); None without weights."""
    worth_changed: float | None = None
    """How many queries, or groups, of equal weight those that changed are worth; for margin guards,
    None without weights."""
    is_unchanged: bool = False
    """Whether no ranking changed within the cutoff: the verdict then requires no test."""
    queries_needed: int | None = None
    """About how many queries, or groups if there are any, a candidate equal to the baseline would
    need to pass."""
    queries_needed_range: tuple[int, int | None] | None = None
    """The range of that number, since the spread is estimated from few queries; an upper end of
    None is beyond any practical number. None if it is unknown."""
    verdicts_by_holes: tuple[Verdict, Verdict] | None = None
    """The verdicts if unjudged documents were graded least, and most, favourably to the candidate;
    None if they could not change anything, or the measure has no bounds."""

    is_blocked_by_holes: bool = False
    """Whether the verdict is inconclusive for that reason alone."""
    noise_sd: float | None = None
    """Standard deviation of the mean difference due to noise that all queries of a run share,
    between runs of the same systems; interval and p-values include it. None if no system was run
    again."""

    means: tuple[float, float] | None = None
    """The means of the baseline and of the candidate; for margin guards."""
    baseline: str | None = None
    """Which baseline, if the candidate is compared with several."""
    is_better: bool = False
    """Whether the test shows that the candidate is better than the baseline, at the level of such
    claims."""
    rests_on: RestsOn | None = None
    """The judgments that the verdict is based on; None if all are by people."""

    @property
    def n_units(self) -> int:
        """Number of units tested: labelled queries, groups if there are any, else queries."""
        if self.rests_on is not None:
            return self.rests_on.n_labelled
        return self.n_queries if self.n_groups is None else self.n_groups

    @property
    def units(self) -> str:
        """The name of these units."""
        if self.rests_on is not None:
            return "labelled queries"
        return "queries" if self.n_groups is None else "groups"

    @property
    def is_beyond(self) -> bool:
        """Whether the mean difference of a margin guard is worse than its limit."""
        if not isinstance(self.guard, MarginGuard):
            return False
        if self.guard.is_equivalence:
            return abs(self.value) > abs(self.limit) + ROUNDING
        room = self.value - self.limit
        return (room if self.guard.measure.higher_is_better else -room) < -ROUNDING

    @property
    def has_collapsed(self) -> bool:
        """Whether the candidate's mean is less than half of the baseline's."""
        if self.means is None or not isinstance(self.guard, MarginGuard):
            return False
        return self.guard.measure.higher_is_better and self.means[1] < self.means[0] / 2

    @property
    def depends_on_holes(self) -> bool:
        """Whether grades of unjudged documents could change the verdict."""
        if self.verdicts_by_holes is None:
            return False
        return self.is_blocked_by_holes or set(self.verdicts_by_holes) != {self.verdict}

    @property
    def name(self) -> str:
        """The guard, and its slice if it has one."""
        part = f" ({self.slice})" if self.slice else ""
        return f"{self.guard}{part}{self.against}"

    @property
    def against(self) -> str:
        """Which baseline, as a phrase that follows the guard; empty if there is one only."""
        return "" if self.baseline is None else f" against {name_of_run(self.baseline)}"


@dataclass(frozen=True)
class Common:
    """The verdict over the queries that no run lacks."""

    n_queries: int
    verdict: Verdict


@dataclass(frozen=True, eq=False)
class GateResult(Displayed):
    """The verdict of a gate: pass, fail or inconclusive."""

    verdict: Verdict
    sentence: str
    """The verdict in one sentence."""
    guards: tuple[GuardResult, ...]
    evaluation: Evaluation
    """The candidate's."""
    comparison: Comparison | None
    """Comparison with the first baseline; None if no guard needs one."""
    rules: GateRules
    """The guards, and how they were judged."""
    holes: tuple[Hole, ...] = ()
    """Unjudged documents that could change the verdict of a guard that counts, the most decisive
    first."""
    suggestion: str | None = None
    """What to do next, such as raising the baseline, or deciding on a small set by itself;
    `suggested_command` is the command for it, if there is one."""
    command: str = "berryeval baseline update"
    """The command that makes the candidate the baseline."""
    missing: Mapping[str, int] = field(default_factory=dict)
    """Number of judged queries missing from each run; complete runs are left out."""
    common: Common | None = None
    """The verdict over the queries that no run lacks, if a run lacks some, which count as 0; None
    otherwise."""
    memory: Memory | None = None
    """How often the set was used before; None if nothing was counted."""
    opening: Opening | None = None
    """The result on the reserved queries; None if the reserve was not opened."""
    losses: Losses | None = None
    """The queries that lost most, unless the gate passes; None if none lost."""
    files: GateFiles | None = None
    """The files that were compared, for commands; None if they are unknown."""

    @property
    def suggested_command(self) -> str | None:
        """The command that does what `suggestion` says; None without one."""
        is_better = self.suggestion is not None and self.verdict == "pass"
        return self.command if is_better else None

    @property
    def next_step(self) -> str | None:
        """The suggestion with its command, between backticks; None without a suggestion."""
        if self.suggestion is None or self.suggested_command is None:
            return self.suggestion
        return f"{self.suggestion} Run `{self.suggested_command}`."

    @property
    def losses_note(self) -> str | None:
        """The queries that lost most, and the command that explains the first; None without any."""
        return None if self.losses is None else of_losses(self.losses, self.files)

    @property
    def explain_command(self) -> str | None:
        """The command that explains the greatest loss; None without one, or without files."""
        if self.losses is None or self.files is None:
            return None
        first = self.losses.queries[0]
        return self.files.explain_command(first.query_id, self.losses.measure)

    @property
    def holes_command(self) -> str | None:
        """The command that lists unjudged documents; None if none matter, or without files."""
        first = None if self.comparison is None else self.comparison.baseline
        own = (one for one in self.guards if one.baseline in (None, first))
        dependent = [one.guard for one in own if one.depends_on_holes]
        measures = [guard.measure for guard in dependent if isinstance(guard, MarginGuard)]
        if not self.holes or not measures or self.files is None:
            return None
        return self.files.holes_command(measures[0])

    @property
    def rests_on(self) -> RestsOn | None:
        """The judgments that the verdict is based on; None if all are by people.

        Where guards differ, those of the guard that relies on the model least.
        """
        found = [guard.rests_on for guard in self.guards if guard.rests_on is not None]
        return min(found, key=lambda one: one.weight, default=None)

    def __repr__(self) -> str:
        lines = [f"<GateResult {self.verdict}: {self.sentence}", *map(_line, self.guards)]
        return "\n".join(lines) + ">"

    @property
    def alpha(self) -> float:
        """Probability of a wrong pass, and of a wrong fail, over all looks."""
        return self.rules.alpha

    @property
    def level(self) -> float:
        """The significance level of this look; alpha if nothing was counted."""
        return levels_of(self.rules, self.memory).verdict

    @property
    def inference(self) -> Inference:
        """Whether the queries are a sample of many, or all that matters."""
        return self.rules.inference

    @property
    def failed(self) -> tuple[GuardResult, ...]:
        """The guards that fail, watched ones left out."""
        return tuple(g for g in self.guards if g.verdict == "fail" and not g.is_watched)


def _line(guard: GuardResult) -> str:
    """Write the figures of a guard that are known: value, interval, and the p-value of passing."""
    interval = "" if guard.interval is None else f" {shown_interval(guard.interval)}"
    p_value = "" if guard.p_pass is None else f", p {p_text(guard.p_pass)}"
    return f"{guard.name}: {guard.verdict}, {score(guard.value)}{interval}{p_value}"
