"""Every page of the workbench, on a desk and on a phone, in light and in dark.

The pages are those that `make screenshots` takes pictures of.
"""

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from scripts.workbench_screenshots import NO_PICTURES, PICTURES

from berryeval.service.workbench.pages import OPEN_ROUTERS, ROUTERS

pytestmark = pytest.mark.browser
DATABASES = ("sqlite",)  # pages look the same

SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
# Two frames after everything has come, what had to move has moved.
SETTLED = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
MOST_SHIFT = 0.01


def decide(workbench):
    """Let the gate decide, and return the number of its verdict."""
    answer = httpx.post(
        f"{workbench.address}/v1/gates/release/verdicts", json={"run": workbench.runs["hybrid"]}
    )
    return answer.json()["verdict_id"]


@pytest.fixture(scope="module")
def known(workbench):
    """What the addresses of pictures name."""
    return {
        "baseline": "main",
        "candidate": workbench.runs["hybrid"],
        "gate": "release",
        "query": f"/queries/q01?a=main&b={workbench.runs['hybrid']}",
        "document": "/queries/q01/documents/q01-b",
        "judgment": "/judgments/q01/q01-b",
        "verdict": decide(workbench),
    }


def complaints(page, width, scheme, *, is_first):
    """Tell what axe-core finds, and whether one has to scroll sideways."""
    page.emulate_media(color_scheme=scheme)
    page.evaluate(SETTLED)
    options = {"resultTypes": ["violations"]}
    if not is_first:  # what does not depend on colours was looked at before
        options["runOnly"] = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
    for rule in Axe().run(page, options=options).response["violations"]:
        where = "; ".join(str(node["target"]) for node in rule["nodes"][:5])
        yield f"{width} px, {scheme}: {rule['id']}, {rule['help']}: {where}"
    sideways = page.evaluate(SIDEWAYS)
    if sideways > 0:
        yield f"{width} px, {scheme}: {sideways} px too wide"


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
def test_nothing_stands_in_anybodys_way(workbench, known, visit, picture):
    """Contrast, labels, names, roles; no sideways scrolling; nothing jumps while it loads."""
    found = []
    for width, height, schemes in ((1440, 900, ("light", "dark")), (390, 844, ("dark",))):
        page = visit(
            workbench,
            picture.address.format(**known),
            viewport={"width": width, "height": height},
            reduced_motion="reduce",
        )
        page.wait_for_load_state("networkidle")
        page.evaluate(SETTLED)
        shifted = page.evaluate("window.shifted")
        if shifted > MOST_SHIFT:
            found.append(f"{width} px: shifted by {shifted:.3f}")
        if picture.prepare:
            picture.prepare(page)
        for scheme in schemes:
            found += complaints(page, width, scheme, is_first=scheme == schemes[0])
    assert not found, "\n".join(found)


def routes_of(router):
    """Iterate over the routes of a router and of those that it includes."""
    for route in router.routes:
        included = getattr(route, "original_router", None)
        if included is None:
            yield route
        else:
            yield from routes_of(included)


def test_every_page_has_its_picture():
    """A new route is a page with a picture, a part of one, or is named as something else."""
    routes = [
        route
        for router in (*OPEN_ROUTERS, *ROUTERS)
        for route in routes_of(router)
        if "GET" in (route.methods or ())
    ]
    shown = {picture.route for picture in PICTURES}
    pages = {route.path for route in routes if "part" not in route.tags}
    assert pages <= shown | NO_PICTURES.keys()
    assert shown | NO_PICTURES.keys() <= {route.path for route in routes}
    assert not shown & NO_PICTURES.keys()
