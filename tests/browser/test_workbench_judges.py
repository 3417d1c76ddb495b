"""Automated judges, in a browser: from uploaded grades to a comparison."""

import re

import httpx
import pytest
from click.testing import CliRunner
from playwright.sync_api import expect

from berryeval.cli import main
from browser.accessibility import COLOURS, violations
from browser.visits import settle
from judges.model_judged import RESTS, write_model_judged

pytestmark = pytest.mark.browser
DATABASES = ("sqlite",)  # the service's own tests use both

PHONE = {"width": 390, "height": 844}
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def run(*words):
    """Run a command."""
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output


@pytest.fixture
def judged(new_workbench, tmp_path):
    """A service with the runs, grades and check of a golden set; the ids of its runs."""
    golden = write_model_judged(tmp_path / "set" / "golden")
    workbench = new_workbench(is_empty=True)
    folder, draw = str(golden.folder), str(tmp_path / "first.json")
    run("golden", "import", folder, workbench.archive.name)
    run("judge", "draw", "--golden", folder, "-n", "50", "-o", draw)
    upload = ("judge", "upload", "--golden", folder, "--archive", workbench.address)
    run(*upload, "--label-draw", draw)
    for name in ("old", "new"):
        content = (golden.folder.parent / f"{name}.run").read_bytes()
        answer = httpx.post(f"{workbench.address}/v1/runs?name={name}", content=content, timeout=60)
        workbench.runs[name] = answer.json()["run_id"]
    return workbench


def test_from_uploaded_grades_to_a_comparison_of_people_and_model(judged, visit):
    """The judge is admitted, its calibration is drawn, and a comparison states its basis."""
    page = visit(judged, "/", reduced_motion="reduce")
    page.get_by_role("navigation", name="Pages", exact=True).get_by_role(
        "link", name="Model judges"
    ).click()
    row = page.get_by_role("row", name=re.compile("errant"))
    expect(row).to_contain_text("admitted")
    row.get_by_role("link", name="errant").click()
    plot = page.get_by_role("img", name=re.compile("The judge's grades by people's grades"))
    expect(plot).to_be_visible()
    expect(page.get_by_role("table", name="Shares of each row")).to_contain_text("judge 3")
    expect(page.get_by_role("article").first).to_contain_text("The judge: as told")
    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    assert violations(page, only=COLOURS) == []
    page.set_viewport_size(PHONE)
    assert page.evaluate(SIDEWAYS) <= 0
    for address in ("/judges", "/judges/draws", "/judges/proposals"):
        page.goto(address)
        settle(page)
        assert violations(page) == []
        assert page.evaluate(SIDEWAYS) <= 0
    page.goto(f"/compare?a={judged.runs['old']}&b={judged.runs['new']}")
    settle(page)
    part = page.locator("#model")
    expect(part).to_contain_text(re.compile(RESTS))
    assert violations(page, within="#model") == []
