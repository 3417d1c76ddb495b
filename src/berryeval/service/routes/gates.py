"""Gates: what a candidate must achieve, and verdicts on candidates."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from pydantic import Field, create_model
from starlette.responses import Response

from berryeval.archive.records import StoredGate, StoredVerdict
from berryeval.errors import NotFoundError
from berryeval.evaluation.gate_rules import RULES, Verdict
from berryeval.evaluation.guard_entries import ENTRY
from berryeval.evaluation.rule_kinds import Rule
from berryeval.service.answers import (
    EXAMPLE_RUN,
    NOT_MODIFIED,
    OTHER_RUN,
    REMOVAL,
    Answer,
    conditional_answer,
    created,
    etag_of,
    shape_of,
    with_examples,
    written,
)
from berryeval.service.bodies import JsonRoute
from berryeval.service.dependencies import (
    ACCEPTED,
    ArchiveDep,
    LongWorkDep,
    RunsDep,
    WorkersDep,
    require,
)
from berryeval.service.fields import (
    Body,
    Id,
    Label,
    RunReference,
)
from berryeval.service.jobs import Progress
from berryeval.service.paging import Listed, PagingDep
from berryeval.service.paths import NAME, Name
from berryeval.service.preconditions import RemovalDep, WriteDep
from berryeval.service.problems import documented, existing
from berryeval.service.stored_runs import find_run
from berryeval.service.verdicts import decide_on, read_gate

__all__ = ["router"]

router = APIRouter(prefix="/v1/gates", tags=["gates"], route_class=JsonRoute)

MAX_GUARDS = 100
MAX_TIMES = 100_000

_GUARDS: list[dict[str, Any]] = [
    {"measure": "RR@10", "at_least": 0.7},
    {"measure": "nDCG@10", "margin": "2%", "slices": ["category"]},
]
_EXAMPLE = {"baseline": "main", "guards": _GUARDS, "alpha": 0.05}


def _model(name: str, rules: Iterable[Rule]) -> Any:  # noqa: ANN401 - a model
    """Return the model of a body with a field for each rule."""
    made: dict[str, Any] = {
        rule.name: (
            rule.annotation | None if rule.default is None else rule.annotation,
            Field(rule.default, description=rule.help, examples=_examples(rule), **rule.limits),
        )
        for rule in rules
    }
    return create_model(name, __base__=Body, **made)


def _examples(rule: Rule) -> list[str] | None:
    return [rule.example] if rule.example and rule.annotation is str else None


class GuardContent(_model("GuardFields", ENTRY)):  # type: ignore[misc] # built from declarations
    """A condition on a candidate: `[[gate.guard]]` of berryeval.toml."""

    model_config = with_examples(*_GUARDS)


class GateContent(_model("GateFields", RULES)):  # type: ignore[misc] # built from declarations
    """The rules of a gate: `[gate]` of berryeval.toml, its baseline, and how to judge."""

    model_config = with_examples(_EXAMPLE)

    guards: list[GuardContent] = Field(min_length=1, max_length=MAX_GUARDS)
    baseline: Annotated[str, Field(pattern=NAME)] | None = Field(
        None, description="Name of a baseline; required by guards with a margin."
    )
    label_draw: Annotated[str, Field(pattern=NAME)] | None = Field(
        None,
        description="Name of a label draw: the verdict then rests on the grades of an admitted "
        "judge, corrected by the queries that people labelled.",
    )
    judge: Label | None = Field(
        None, description="Name or identity of the judge. Default: the only admitted one."
    )


class GateState(shape_of(StoredGate)):  # type: ignore[misc] # built from the record
    """A stored gate."""

    model_config = with_examples(
        {"name": "release", "settings": _EXAMPLE, "updated_at": "2026-11-16T08:00:00+00:00"}
    )


class VerdictRequest(Body):
    """The candidate to decide on."""

    model_config = with_examples({"run": EXAMPLE_RUN})

    run: RunReference
    baseline: RunReference | None = Field(None, description="Overrides the baseline of the gate.")
    open_reserve: bool = Field(
        default=False,
        description="Whether to open the gate's reserve for a release: its gain over the anchor, "
        "and drift, are reported.",
    )
    milliseconds: (
        Annotated[
            dict[Id, Annotated[float, Field(ge=0, le=1e12, allow_inf_nan=False)]],
            Field(max_length=MAX_TIMES),
        ]
        | None
    ) = Field(None, description="Duration of each query, for latency guards.")


class VerdictState(shape_of(StoredVerdict)):  # type: ignore[misc] # built from the record
    """A verdict, and the report that `berryeval gate --json` writes (docs/reference/json.md).

    It contains at most the 100 most decisive unjudged documents; `n_holes` is their total number.
    """

    model_config = with_examples(
        {
            "verdict_id": 7,
            "gate": "release",
            "run_id": EXAMPLE_RUN,
            "baseline_id": OTHER_RUN,
            "judgments_hash": "8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4",
            "verdict": "pass",
            "created_at": "2026-11-16T08:00:00+00:00",
            "report": {"version": 1, "kind": "gate", "verdict": "pass"},
        }
    )

    verdict: Verdict


@router.get("", response_model=Listed[GateState])
def list_gates(archive: ArchiveDep, paging: PagingDep) -> Answer:
    """List gates by name."""
    return paging.answer(archive.gates.page(**paging.bounds), GateState.of)


@router.get("/{name}", response_model=GateState, responses=documented(404) | NOT_MODIFIED)
def get_gate(request: Request, name: Name, archive: ArchiveDep) -> Response:
    """Return a gate."""
    found = existing(archive.gates.get(name), "gate", name)
    return conditional_answer(request, GateState.of(found), _etag(found))


@router.put(
    "/{name}",
    response_model=GateState,
    responses=documented(412) | created(GateState),
    dependencies=[require("admin")],
)
def set_gate(name: Name, given: GateContent, archive: ArchiveDep, headers: WriteDep) -> Answer:
    """Create or replace a gate; `If-Match`, if given, must match its current ETag."""
    settings = given.model_dump(exclude_none=True)
    read_gate(settings)
    check = headers.check(_etag, f"gate {name!r}")
    stored = archive.gates.put(name, settings, check=check)
    place = f"/v1/gates/{name}"
    return written(GateState.of(stored), place, is_new=check.is_new, etag=_etag(stored))


@router.delete(
    "/{name}", **REMOVAL, responses=documented(404, 412), dependencies=[require("admin")]
)
def remove_gate(name: Name, archive: ArchiveDep, headers: RemovalDep) -> None:
    """Remove a gate; its verdicts are kept. `If-Match`, if given, must match its ETag."""
    if not archive.gates.remove(name, check=headers.check(_etag, f"gate {name!r}")):
        raise NotFoundError("gate", name)


@router.get("/{name}/verdicts", response_model=Listed[VerdictState])
def list_verdicts(name: Name, archive: ArchiveDep, paging: PagingDep) -> Answer:
    """List the verdicts of a gate, newest first, including those of a removed gate."""
    return paging.answer(archive.verdicts.page(gate=name, **paging.bounds), VerdictState.of)


@router.get("/{name}/verdicts/{verdict_id}", response_model=VerdictState, responses=documented(404))
def get_verdict(
    name: Name,
    verdict_id: Annotated[
        int, Path(ge=1, lt=2**63, description="Number of a verdict.", examples=[7])
    ],
    archive: ArchiveDep,
) -> Answer:
    """Return a verdict with its report."""
    found = archive.verdicts.get(verdict_id)
    if found is None or found.gate != name:
        raise NotFoundError("verdict", str(verdict_id))
    return Answer(VerdictState.of(found))


@router.post(
    "/{name}/verdicts",
    response_model=VerdictState,
    status_code=201,
    responses={**ACCEPTED, **documented(404)},
    dependencies=[require("judge")],
)
def decide_on_run(
    name: Name,
    given: VerdictRequest,
    archive: ArchiveDep,
    runs: RunsDep,
    long_work: LongWorkDep,
    workers: WorkersDep,
) -> Response:
    """Run a gate on a run with the current judgments, and store the verdict.

    The status is 201 even if the gate fails: `verdict` is then `fail`.
    """
    gate = existing(archive.gates.get(name), "gate", name)
    run = find_run(archive, given.run)
    reference = given.baseline or gate.settings.get("baseline")
    baseline = None if reference is None else find_run(archive, reference)

    def work(progress: Progress) -> Response:
        stored = decide_on(
            archive,
            runs,
            gate,
            run,
            baseline,
            milliseconds=given.milliseconds,
            progress=progress,
            opens_reserve=given.open_reserve,
            workers=workers,
        )
        headers = {"Location": f"/v1/gates/{name}/verdicts/{stored.verdict_id}"}
        return Answer(VerdictState.of(stored), 201, headers=headers)

    return long_work.answer("verdict", work)


def _etag(gate: StoredGate) -> str:
    return etag_of(gate.settings)
