"""Pages from templates: their filters, and their security policy."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime, timezone
from functools import cache
from typing import Any, NamedTuple

from fastapi import Depends, Request
from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse

import berryeval
from berryeval.archive import Archive
from berryeval.core.text import printable
from berryeval.errors import ArchiveError
from berryeval.evaluation import figures
from berryeval.evaluation.findings import WORDS
from berryeval.reports.html.markup import figure_text
from berryeval.reports.wording import capitalised, count
from berryeval.service.dependencies import Caller, state_of
from berryeval.service.paths import in_collection, quoted
from berryeval.service.workbench.assets import HTMX, address_of, assets
from berryeval.service.workbench.exported import (
    difference_facts,
    ends,
    facts,
    prefixed,
    query_facts,
    run_facts,
)
from berryeval.service.workbench.texts import highlighted, rendered

__all__ = [
    "PAGES",
    "POLICY",
    "Place",
    "compile_templates",
    "fragment",
    "origin_of",
    "page",
    "since",
    "with_judging",
]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cache-Control": "private, no-cache",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Vary": "HX-Request, Cookie",
}
_HTMX_CONFIG = {
    "allowEval": False,
    "includeIndicatorStyles": False,
    "selfRequestsOnly": True,
    "historyCacheSize": 0,
    "scrollBehavior": "auto",
}
_LINK = re.compile(
    r'(\s(?:href|action|formaction|src|hx-(?:get|post|put|patch|delete)|data-address|data-judgment)=")'
    r'(/[^"]*)'
)
"""An attribute with an address of this service."""

NOTHING = "\N{EN DASH}"
"""Stands for a missing figure."""

_MINUTE, _HOUR, _DAY = 60, 3600, 86400


class Place(NamedTuple):
    """A page of the menu."""

    address: str
    title: str
    about: str
    icon: str
    """The name of its icon in ``icons.html``."""


PAGES = (
    Place("/", "Overview", "Is it good, and did it get better or worse?", "overview"),
    Place("/runs", "Runs", "All runs and their scores", "runs"),
    Place("/compare", "Compare", "Two or more runs, query by query", "compare"),
    Place("/queries", "Queries", "All queries and their results", "queries"),
    Place("/documents", "Documents", "All documents and their judgments", "documents"),
    Place("/try", "Try", "Change settings, and see rankings and scores change", "try"),
    Place("/judge", "Judge", "Grade unjudged documents", "judge"),
    Place("/projects", "Projects", "Judge as a team: progress, agreement", "projects"),
    Place("/judgments", "Judgments", "History, conflicts, agreement", "judgments"),
    Place("/judges", "Model judges", "Models that judge: calibration, bias, cost", "judges"),
    Place("/gates", "Gates", "What a candidate must achieve to ship", "gates"),
    Place("/power", "Power", "The smallest drop this golden set can detect", "power"),
    Place("/import", "Import", "Judgments, runs, queries and documents from files", "import"),
)
"""The pages, in the order of the menu."""


def page(
    request: Request,
    template: str,
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    **context: Any,  # noqa: ANN401 - any variable of the template
) -> HTMLResponse:
    """Render a template: a whole page, or a part of one.

    Every template can use `user` (the caller), `here` (the address of the request), `origin` (the
    address of the service), `judging` (the judging policy; None if it is unknown), `collections`
    (those that the caller may use), `collection` (the name of the current one), `base` (the
    beginning of its addresses) and the filters of this module. All output is escaped, and bytes
    that are not text are replaced.
    """
    # A request that the middleware rejected has no caller.
    caller: Caller | None = getattr(request.state, "caller", None)
    text = (
        environment()
        .get_template(template)
        .render(
            user=caller,
            here=_here(request),
            origin=origin_of(request),
            path=request.scope["path"],
            judging=getattr(request.state, "judging", None),
            collections=getattr(request.state, "collections", ()),
            collection=_collection_name(request),
            base=_prefix(request),
            **context,
        )
    )
    # Ids that are not UTF-8 contain lone surrogates, which a response cannot.
    linked = _within(_prefix(request), printable(text))
    return HTMLResponse(linked, status, {**_HEADERS, **(headers or {})})


def origin_of(request: Request) -> str:
    """Return the address of the service, within the collection of the request."""
    return str(request.base_url).rstrip("/") + _prefix(request)


def _prefix(request: Request) -> str:
    # A request that the middleware rejected has no collection.
    collection = getattr(request.state, "collection", None)
    return "" if collection is None else collection.prefix


def _collection_name(request: Request) -> str | None:
    collection = getattr(request.state, "collection", None)
    return None if collection is None else collection.name


def _within(prefix: str, text: str) -> str:
    """Return a page whose links and forms stay within a collection.

    Templates write addresses as if there were only one. Quotes in all other text are escaped, so
    nothing else looks like an attribute.
    """
    if not prefix:
        return text
    return _LINK.sub(lambda found: found[1] + in_collection(prefix, found[2]), text)


def _read_policy(request: Request) -> None:
    archive: Archive = state_of(request).archive
    home: Archive = request.app.state.archive
    caller: Caller = request.state.caller
    with suppress(ArchiveError):  # pages that need the archive report it
        request.state.judging = archive.judging.get()
        known = home.collections.all()
        request.state.collections = [one for one in known if caller.may_use(one.name)]


with_judging: Any = Depends(_read_policy)
"""A dependency of all pages: reads the judging policy and the list of collections in a thread, as
that may take long."""


fragment = page
"""Render a part of a page, whose template does not extend the layout."""


@cache
def environment() -> Environment:
    """Return the environment of templates: escapes everything, and rejects undefined names."""
    found = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    filters: dict[str, Callable[..., Any]] = {
        "capitalised": lambda text: figure_text(capitalised(text)),
        "count": lambda number: f"{number:,}",
        "counted": count,
        "end": lambda value, digits=4: figure_text(figures.end_text(value, digits)),
        "finding": lambda found: WORDS[found].capitalize(),
        "p_value": lambda value: figure_text(figures.p_text(value)),
        "percent": lambda share: NOTHING if share is None else f"{100 * share:.0f}%",
        "graded": _graded,
        "highlighted": lambda text, query: highlighted(escape(text or ""), query),
        "rendered": rendered,
        "quoted": quoted,
        "shade": lambda grade: int(min(max(grade, 0), 3)),
        "score": lambda value, digits=4: figure_text(figures.score(value, digits)),
        "short": lambda text: text[:8],
        "signed": lambda value, digits=4: figure_text(figures.signed(value, digits)),
        "when": _when,
    }
    found.filters.update(filters)
    found.globals.update(
        asset=address_of,
        htmx_config=json.dumps(_HTMX_CONFIG),
        difference_facts=difference_facts,
        ends=ends,
        facts=facts,
        has_htmx=HTMX in assets(),
        version=berryeval.__version__,
        may=_may,
        places=PAGES,
        prefixed=prefixed,
        query_facts=query_facts,
        run_facts=run_facts,
        zip=zip,
    )
    return found


@cache
def compile_templates() -> None:
    """Load all templates, so that the first page is not slow."""
    for name in environment().list_templates():
        environment().get_template(name)


@pass_context
def _may(context: Context, role: str) -> bool:
    """Return whether the current user has the role."""
    caller: Caller | None = context["user"]
    return caller is not None and caller.may(role)  # type: ignore[arg-type]


def _here(request: Request) -> str:
    query = request.url.query
    path = _prefix(request) + request.scope["path"]
    return f"{path}?{query}" if query else path


def _graded(grade: float) -> str:
    """Return a grade as text: a mean of several has two digits."""
    return f"{round(grade, 2):.10g}"


def _when(moment: datetime | None) -> str:
    """Return a time as an age, with the exact time as a tooltip."""
    if moment is None:
        return NOTHING
    exact = moment.astimezone(timezone.utc)
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        exact.isoformat(), f"{exact:%Y-%m-%d %H:%M:%S} UTC", since(exact, _now())
    )


def _now() -> datetime:
    return datetime.now(timezone.utc)


def since(moment: datetime, now: datetime) -> str:
    """Return how long ago a time was; after a while, its date.

    Examples
    --------
    >>> now = datetime(2026, 11, 16, 12, tzinfo=timezone.utc)
    >>> since(datetime(2026, 11, 16, 11, 48, tzinfo=timezone.utc), now)
    '12 min ago'
    >>> since(datetime(2026, 10, 3, tzinfo=timezone.utc), now)
    '2026-10-03'
    """
    seconds = (now - moment).total_seconds()
    if seconds < _MINUTE:
        return "just now"
    if seconds < _HOUR:
        return f"{seconds // _MINUTE:.0f} min ago"
    if seconds < _DAY:
        return f"{seconds // _HOUR:.0f} h ago"
    if seconds < 7 * _DAY:
        days = int(seconds // _DAY)
        return "yesterday" if days == 1 else f"{days} days ago"
    return f"{moment:%Y-%m-%d}"
