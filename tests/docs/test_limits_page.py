"""The page of limits states the limits of the code."""

import re
from pathlib import Path

import pytest

from berryeval.archive import admissions, sessions
from berryeval.archive.checks import LONGEST_ID
from berryeval.archive.projects import boards
from berryeval.formats.limits import MAX_LINE, UPLOADED_LINE
from berryeval.search import exchange
from berryeval.service import (
    ServiceSettings,
    bodies,
    body_limits,
    connections,
    fields,
    jobs,
    paging,
    prices,
    server,
    verdicts,
)
from berryeval.service.app import describe
from berryeval.service.middleware import limits, turns
from berryeval.service.rank_eval import evaluating, models, templates
from berryeval.service.routes import evaluation, gates, holes, judgments, runs, stores
from berryeval.service.workbench.state import memory, project_queues
from berryeval.stats.validation import MIN_RESAMPLES

PAGE = (Path(__file__).parents[2] / "docs/reference/limits.md").read_text(encoding="utf-8")
ROWS = {
    name.replace("`", ""): words
    for name, words in re.findall(r"^\| ([^|]+?) \| ([^|]+?) \|", PAGE, re.MULTILINE)
}

LISTS = {
    "ComparisonRequest.candidates": "candidates of a comparison",
    "ComparisonRequest.measures": "measures of a request",
    "ComparisonRequest.risk": "weights of risk in a comparison",
    "ComparisonRequest.slices": "labels to slice a comparison by",
    "ComparisonRequest.tests": "further tests of a comparison",
    "EvaluateStore.settings": "settings of a search or a registered system",
    "NewSystem.secrets": "settings of a search or a registered system",
    "NewSystem.settings": "settings of a search or a registered system",
    "TunedSearch.settings": "settings of a search or a registered system",
    "EvaluateStore.ks": "values of k in such an evaluation",
    "EvaluateStore.queries": "queries of an evaluation of a store",
    "EvaluationRequest.measures": "measures of a request",
    "GateContent.guards": "guards of a gate",
    "GuardContent.slices": "guards of a gate",
    "GivenAnswers.answers": "answers to a project in one request",
    "HolesRequest.measures": "measures of a request",
    "HolesRequest.runs": "runs of a list of holes",
    "JudgedPairs": "judgments or documents of a store in one request",
    "JudgingContent.labels": "labels of grades",
    "ManyDocuments.documents": "queries or documents of the archive in one request",
    "ManyJudgments.judgments": "judgments or documents of a store in one request",
    "ManyQueries.queries": "queries or documents of the archive in one request",
    "NewDocuments.documents": "judgments or documents of a store in one request",
    "NewProject.judges": "runs and judges of a project",
    "NewQuery.tags": "tags of a query",
    "QueryContent.tags": "tags of a query",
    "RankEvalRequest.requests": "requests or templates of a call of _rank_eval",
    "RankEvalRequest.templates": "requests or templates of a call of _rank_eval",
    "RatedRequest.summary_fields": "hits of a request of _rank_eval, and its summary fields",
    "Timings.timings": "times of the queries of a run or verdict",
    "WantedPairs.runs": "runs and judges of a project",
    "VerdictRequest.milliseconds": "times of the queries of a run or verdict",
    "tag": "tags to list runs by",
    "NewGrades.grades": "grades of models or proposed queries in one request",
    "NewProposals.proposals": "grades of models or proposed queries in one request",
    "NewChecks.admissions": "checks of judges in one request",
    "NewCheck.models": "checks of judges in one request",
    "NewCheck.reasons": "checks of judges in one request",
    "DrawContent.queries": "queries of a label draw",
    "DrawContent.chosen": "queries of a label draw",
    "DrawContent.runs": "queries of a label draw",
}
"""The row of each list or object in a request."""

FIXED = {"StoreSettings.weights"}  # always two


@pytest.mark.parametrize(
    "name",
    ["max_body_mb", "max_upload_mb", "max_rows", "max_comparison", "task_processes",
     "task_memory_mb", "timeout", "max_connections", "max_jobs"],
)  # fmt: skip
def test_defaults_are_on_the_page(name):
    """The stated defaults are those in force."""
    value = getattr(ServiceSettings(), name.removesuffix("_mb"))
    value = value >> 20 if name.endswith("_mb") else value
    assert float(ROWS[name].replace(",", "")) == value


def test_the_rate_depends_on_the_address():
    """Callers on the same machine are not limited."""
    others = ServiceSettings(host="0.0.0.0").rate  # noqa: S104 - not bound
    assert ServiceSettings().rate is None
    assert ROWS["max_rate"] == f"none on loopback, otherwise {others:g}"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("the headers of a request", f"{server._HEADER_SECONDS:g} seconds"),
        ("the rest of a rejected body", f"{connections._REST_SECONDS:g} seconds"),
        ("a whole body", f"a second per {limits._SLOWEST >> 10} KB"),
        ("values of a JSON body with many records", f"{body_limits._MANY.values:,}"),
        ("values of a JSON body with many records", f"{body_limits._MANY.objects:,} objects"),
        ("values of any other JSON body", f"{body_limits._ONE.values:,}"),
        ("keys of a JSON object", f"{body_limits._MANY.keys:,}"),
        ("keys of a JSON object", f"{gates.MAX_TIMES:,} in a verdict"),
        ("JSON bodies processed at the same time", f"{bodies._BUDGET:,} values"),
        ("fields of a form", f"{bodies.MAX_FIELDS:,}"),
        ("judgments or documents of a store in one request", f"{judgments.MAX_AT_ONCE:,}"),
        ("values of k in such an evaluation", f"each up to {evaluation.LARGEST_K:,}"),
        ("hits of such an evaluation in total", f"{fields.MAX_HITS:,}"),
        ("hits of a search", f"{stores.MAX_HITS:,}"),
        ("documents of a ranking in one response", f"{runs.DEEPEST:,}"),
        ("resamples of a comparison", f"{MIN_RESAMPLES} to 100,000"),
        ("runs of a list of holes", f"to a depth of {holes.DEEPEST:,}"),
        ("entries of a list of holes", f"{holes.MAX_LISTED:,}"),
        ("unjudged documents in the report of a verdict", f"{verdicts.MAX_HOLES}"),
        ("an id", f"{LONGEST_ID:,} bytes"),
        ("the text of a query", f"{fields.LONGEST_QUERY:,} characters"),
        ("a template of _rank_eval, and its expansion", f"{templates.MAX_CHARACTERS:,}"),
        ("expanded templates of a call of _rank_eval", f"{evaluating.MAX_TEMPLATE_CHARACTERS:,}"),
        ("hits of a request of _rank_eval, and its summary fields", f"{models.MAX_HITS:,} hits"),
        ("a line of a file", f"{UPLOADED_LINE >> 20} MB; {MAX_LINE >> 20} MB"),
        ("entries of a page", f"{paging.MAX_ENTRIES:,}"),
        ("pages of the workbench computed at the same time", f"{turns.PAGES.at_once}"),
        (
            "the page Try computed at the same time",
            f"{turns.TRIES.at_once}, of them {turns.TRIES.per_caller} by one caller",
        ),
        (
            "searches over HTTP at the same time: of a store, evaluate and _rank_eval",
            f"{turns.SEARCHES.at_once}, of them {turns.SEARCHES.per_caller} by one caller",
        ),
        ("the response of a registered system", f"{exchange._MAX_VALUES:,} values"),
        ("boards of projects in memory", f"{boards._MAX_PAIRS:,} pairs"),
        ("documents that are reserved for one judge", f"{project_queues.MAX_TAKEN}"),
        ("the check of a judge", f"{admissions._LONGEST['result']:,} characters"),
        ("sessions of a token", f"{sessions._MAX_PER_TOKEN}"),
        ("finished jobs", f"{jobs._MAX_KEPT}, for an hour"),
        ("previews of imports in memory", f"{memory._STAGED_BYTES >> 20} MB"),
        (
            "a comparison, a list of holes or a verdict",
            f"up to {prices.CHEAP:.0e}".replace("+0", ""),
        ),
    ],
)
def test_fixed_limits_are_on_the_page(name, words):
    """They are the ones that the code checks."""
    assert words in ROWS[name]


def test_the_description_states_the_largest_number_of_resamples():
    """The page names the same one."""
    [most] = limits_of_requests(("maximum",))["ComparisonRequest.resamples"]
    assert f"{int(most):,}" == "100,000"


def test_finished_jobs_are_kept_for_an_hour():
    """Their results can be fetched until then."""
    assert jobs._KEPT_SECONDS == 60 * 60


def test_every_list_in_a_request_is_on_the_page():
    """A new one requires a stated limit."""
    found = limits_of_requests(("maxItems", "maxProperties"))
    assert found.keys() - FIXED == LISTS.keys()
    wrong = {
        field: sorted(numbers)
        for field, numbers in found.items()
        if field not in FIXED
        and not all(re.search(rf"\b{number:,}\b", ROWS[LISTS[field]]) for number in numbers)
    }
    assert wrong == {}


def limits_of_requests(kinds):
    """Return the limits that the description of the API states for requests, by field."""
    described = describe()
    found = {}
    for field, node in parts_of_requests(described):
        for kind in kinds:
            if kind in node:
                found.setdefault(field, set()).add(node[kind])
    return found


def parts_of_requests(described):
    """Iterate over the schemas of parameters and bodies, and all their parts."""
    for operations in described["paths"].values():
        for operation in operations.values():
            for parameter in operation.get("parameters", []):
                yield from parts_of(parameter["schema"], parameter["name"], described)
            for content in operation.get("requestBody", {}).get("content", {}).values():
                yield from parts_of(content["schema"], "body", described)


def parts_of(node, field, described):
    """Iterate over a schema and its parts, each with the name of its field."""
    if not isinstance(node, dict):
        return
    yield field, node
    if "$ref" in node:
        name = node["$ref"].rpartition("/")[2]
        yield from parts_of(described["components"]["schemas"][name], name, described)
    for name, part in node.get("properties", {}).items():
        yield from parts_of(part, f"{field}.{name}", described)
    variants = [one for key in ("anyOf", "oneOf", "allOf") for one in node.get(key, [])]
    for part in [*variants, node.get("items"), node.get("additionalProperties")]:
        yield from parts_of(part, field, described)
