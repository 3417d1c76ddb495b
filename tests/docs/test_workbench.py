"""The reference lists every page of the workbench."""

import re
from pathlib import Path

from starlette.routing import Route

from berryeval.service.workbench.pages import OPEN_ROUTERS, ROUTERS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "workbench.md"


def test_every_page_is_documented():
    """Every address that people can open is in the table; parts of pages are not."""
    text = PAGE.read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `(/[^`?]*)", text, re.MULTILINE))
    routes = [route for router in (*OPEN_ROUTERS, *ROUTERS) for route in router.routes]
    paths = {
        re.sub(r":\w+}", "}", route.path)
        for route in routes
        if isinstance(route, Route) and "GET" in (route.methods or ()) and not _is_part(route)
    }
    assert named == paths


def _is_part(route: Route) -> bool:
    """Whether only scripts and other pages request the path."""
    return route.path.startswith("/assets/") or "part" in getattr(route, "tags", ())
