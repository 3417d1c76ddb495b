"""The same five questions through every interface, with the same numbers and words.

Python is the reference; command line, HTTP, workbench, HTML report and pytest must match it, to
the digits they show. The tables below list what an interface leaves out.
"""

import pytest
from starlette.testclient import TestClient

import berryeval as be
from interfaces.compared import (
    compared_on,
    comparison_by_command,
    comparison_by_csv,
    comparison_by_http,
    comparison_by_json,
    comparison_in_a_notebook,
    comparison_in_latex,
    comparison_in_markdown,
    comparison_in_pytest,
    comparison_in_the_report,
    comparison_on_the_overview,
    comparison_on_the_page,
    comparison_on_the_run_page,
    means_by_command,
    means_by_http,
    means_by_json,
    means_in_pytest,
    means_in_the_report,
    means_on_the_page,
    of_differences,
    of_records,
    of_rows,
    slices_by_command,
    slices_by_http,
    slices_by_json,
    slices_in_pytest,
    slices_in_the_report,
    slices_on_the_page,
    slices_on_the_run_page,
    true_comparison,
    true_means,
    true_slices,
)
from interfaces.decided import (
    decided,
    gate_by_command,
    gate_by_http,
    gate_by_json,
    gate_in_pytest,
    gate_in_the_report,
    gate_on_the_page,
    gate_records,
    power_by_command,
    power_by_http,
    power_by_json,
    power_in_a_verdict,
    power_in_pytest,
    power_in_the_report,
    power_on_the_page,
    power_on_the_verdict_page,
    true_gate,
    true_power,
)
from interfaces.queries_by_door import FILES, as_json, posted, report
from interfaces.reading import faults, html_rows, page_of
from interfaces.world import NOISY, TIGHT
from service.workbench.html import HTML
from service_server import new_app

TRUTHS = {
    "means": true_means,
    "comparison": true_comparison,
    "slices": true_slices,
    "gate": true_gate,
    "power": true_power,
}


INTERFACES = [
    ("means", means_by_command, ()),
    ("means", means_by_json, ()),
    ("means", means_by_http, ()),
    ("means", means_on_the_page, ()),
    ("means", means_in_the_report, ()),
    ("means", means_in_pytest, ()),
    ("comparison", comparison_in_a_notebook, ()),
    ("comparison", comparison_by_command, ()),
    ("comparison", comparison_by_json, ()),
    ("comparison", comparison_by_csv, ("sentence",)),
    ("comparison", comparison_in_markdown, ()),
    ("comparison", comparison_in_latex, ("sentence", "difference", "low", "high", "p")),
    ("comparison", comparison_by_http, ()),
    ("comparison", comparison_on_the_page, ()),
    ("comparison", comparison_on_the_run_page, ("sentence", "p")),
    ("comparison", comparison_on_the_overview, ("sentence", "low", "high", "p", "RR", "P@5")),
    ("comparison", comparison_in_the_report, ()),
    ("comparison", comparison_in_pytest, ("sentence", "RR", "P@5")),
    ("slices", slices_by_command, ()),
    ("slices", slices_by_json, ()),
    ("slices", slices_by_http, ()),
    ("slices", slices_on_the_page, ("p",)),
    ("slices", slices_on_the_run_page, ("low", "high", "p")),
    ("slices", slices_in_the_report, ()),
    ("slices", slices_in_pytest, ("low", "high", "p", "word")),
    ("gate", gate_by_command, ("reason",)),
    ("gate", gate_by_json, ()),
    ("gate", gate_by_http, ()),
    ("gate", gate_on_the_page, ()),
    ("gate", gate_in_the_report, ("reason",)),
    ("gate", gate_in_pytest, ()),
    ("power", power_by_command, ()),
    ("power", power_by_json, ()),
    ("power", power_on_the_page, ()),
    ("power", power_in_a_verdict, ("drop",)),
    ("power", power_by_http, ("drop",)),
    ("power", power_on_the_verdict_page, ("drop",)),
    ("power", power_in_the_report, ("drop",)),
    ("power", power_in_pytest, ("drop",)),
]


@pytest.mark.parametrize(
    ("question", "interface", "left_out"),
    INTERFACES,
    ids=[interface.__name__ for _, interface, _ in INTERFACES],
)
def test_every_interface_gives_the_same_answer(world, pytester, question, interface, left_out):
    """Numbers agree to the digits shown, and sentences and words to the letter."""
    expected = {
        key: value
        for key, value in TRUTHS[question](world).items()
        if not set(key.split()) & set(left_out)
    }
    assert expected
    assert faults(interface(world, pytester), expected) == {}


def test_every_interface_has_the_same_default_measures(world):
    """A family of another size would have other intervals and words."""
    pair = {"baseline": world.run_ids["old"], "candidates": [world.run_ids["new"]]}
    expected = of_differences(
        be.compare(world.comparison.judgments, world.comparison.runs).differences
    )
    found = {
        "command": of_records(as_json(world, "compare", *FILES)["differences"]),
        "http": of_records(posted(world, "/v1/comparisons", pair)["differences"]),
        "report": of_rows(html_rows(report(world, "compare", *FILES), "measure", "95% interval")),
    }
    with TestClient(new_app(world.archive), base_url="http://localhost:8765") as client:
        address = f"/compare?a={world.run_ids['old']}&b={world.run_ids['new']}"
        shown = compared_on(page_of(client.get(address, headers=HTML).text))
    del shown["sentence"]
    # Runs of twelve documents have the same recall at 100 as at 12.
    found["page"] = {key.replace("R@100", "R@12"): value for key, value in shown.items()}
    assert {interface: faults(shown, expected) for interface, shown in found.items()} == {
        "command": {}, "http": {}, "report": {}, "page": {},
    }  # fmt: skip


def test_pytest_includes_noise_like_the_command(world, pytester):
    """berryeval.toml names repeated runs of the candidate."""
    message = gate_records(as_json(world, "gate", "--config", NOISY))
    assert message != gate_records(as_json(world, "gate")), "the noise makes a difference"
    assert faults(gate_in_pytest(world, pytester, NOISY), message) == {}


def test_every_question_is_asked_through_every_interface():
    """These are command line, HTTP, workbench, HTML report and pytest."""
    for question in TRUTHS:
        names = " ".join(
            interface.__name__ for asked, interface, _ in INTERFACES if asked == question
        )
        for interface in ("command", "http", "page", "report", "pytest"):
            assert interface in names, f"{question}: {interface}"


def test_the_data_covers_every_answer(world):
    """Measures are better, untested and unclear; gates pass and fail."""
    words = [difference.finding for difference in world.comparison.differences]
    assert words == ["better", "untested", "unclear"]
    assert decided(world.folder).verdict == "pass"
    assert decided(world.folder, TIGHT).guards[0].queries_needed > world.comparison.n_queries
