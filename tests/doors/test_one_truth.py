"""The same five questions through every door, and the same numbers and words behind each.

Python is the truth; command line, HTTP, workbench, HTML report and pytest have to repeat it, with
as many digits as they show. A door that leaves something out says so here.
"""

import csv
import io
import json
import re
import time
from functools import cache

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

import berryeval as be
from berryeval.cli import main
from berryeval.evaluation.power import sensitivity
from berryeval.suite.gate import decide
from berryeval.suite.settings import read_settings
from doors.reading import NOTHING, WORDS, ends, faults, html_rows, page_of, plain_rows
from doors.world import MARGIN, MEASURES, NOISY, TIGHT
from service.workbench.html import HTML
from service_server import new_app

FILES = ("qrels.txt", "old.run", "new.run")
NAMED = [part for measure in MEASURES for part in ("-m", measure)]
BY = ("--queries", "queries.jsonl", "--by", "category")
LEAD = MEASURES[0]


def command(world, *arguments):
    """Return what a command prints, started in the folder of the world."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(world.folder)
        found = CliRunner().invoke(main, [*map(str, arguments)], prog_name="berryeval")
    assert found.exit_code == 0, found.output
    return found.output


def as_json(world, *arguments):
    return json.loads(command(world, *arguments, "--json"))


def page(world, address, **headers):
    """Return a page of the workbench."""
    answer = world.client.get(address, headers={**HTML, **headers})
    assert answer.status_code == 200, answer.text
    return page_of(answer.text)


def report(world, *arguments):
    """Return an HTML report."""
    path = world.folder / "report.html"
    command(world, *arguments, "-o", path)
    return page_of(path.read_text())


def posted(world, address, body):
    answer = world.client.post(address, json=body)
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


def in_pytest(pytester, world, body, settings="berryeval.toml"):
    """Run a test of the plugin over the files of the world, and return what it wrote."""
    for name in ("qrels.txt", "queries.jsonl", "old.run", "new.run", "again.run"):
        pytester.path.joinpath(name).write_text((world.folder / name).read_text())
    rules = (world.folder / settings).read_text()
    pytester.path.joinpath("berryeval.toml").write_text(rules)
    pytester.makepyfile(f"""
import json, pathlib

def test_it(berryeval_results):
    found = {body}
    pathlib.Path("written.json").write_text(json.dumps(found))
""")
    pytester.runpytest_inprocess().assert_outcomes(passed=1)
    return json.loads(pytester.path.joinpath("written.json").read_text())


def without_endings(text):
    """Return a text with the names of runs instead of their files'."""
    return text.replace("\u2212", "-").replace("old.run", "old").replace("new.run", "new")


# Means, and the interval of each.


def true_means(world):
    found = {}
    for name, result in world.comparison.evaluations["new"].items():
        interval = result.interval
        found |= {name: result.mean, f"{name} low": interval.low, f"{name} high": interval.high}
    return found


def shown_means(cells):
    """Read ``0.8 [0.7, 0.9]``, or figures."""
    found = {}
    for name, (mean, low, high) in cells.items():
        found |= {name: mean, f"{name} low": low, f"{name} high": high}
    return found


def mean_cell(text):
    mean, _, interval = text.partition(" [")
    return mean, *ends(interval)


def means_by_command(world, _):
    table = plain_rows(
        "measure" + command(world, "evaluate", "qrels.txt", "new.run", *NAMED, "--intervals"),
        "new.run",
    )
    return shown_means({row["measure"]: mean_cell(row["new.run"]) for row in table})


def means_by_json(world, _):
    arguments = ("evaluate", "qrels.txt", "new.run", *NAMED, "--intervals")
    [run] = as_json(world, *arguments)["runs"]
    return shown_means({n: (mean, *run["intervals"][n]) for n, mean in run["means"].items()})


def means_by_http(world, _):
    asked = posted(world, "/v1/evaluations", {"run": world.run_ids["new"], "measures": [*MEASURES]})
    address = f"/v1/evaluations/{asked['evaluation_id']}/report?intervals=true"
    found = world.client.get(address).json()
    return shown_means({n: (mean, *found["intervals"][n]) for n, mean in found["means"].items()})


def means_on_the_page(world, _):
    tiles = page(world, f"/runs/{world.run_ids['new']}").find_all("div", class_="tile")
    return shown_means(
        {
            tile.find("dt").text: (
                tile.find(class_="figure").text,
                *ends(tile.find(class_="interval").text),
            )
            for tile in tiles
        }
    )


def means_in_the_report(world, _):
    arguments = ("evaluate", "qrels.txt", "new.run", *NAMED, "--intervals")
    rows = html_rows(report(world, *arguments), "new.run")
    return shown_means({next(iter(r.values())): mean_cell(r["new.run"]) for r in rows})


def means_in_pytest(world, pytester):
    found = in_pytest(pytester, world, f"""{{
        str(one.measure): [one.mean, one.interval.low, one.interval.high]
        for one in map(berryeval_results.measure, {MEASURES!r})
    }}""")  # fmt: skip
    return shown_means(found)


def interval_of(one):
    return (one.interval.low, one.interval.high) if one.interval else (None, None)


# A comparison: the sentence, and for each measure the difference, interval, p-value and word.


def figures_of(name, difference, low, high, p, word):
    found = {"difference": difference, "low": low, "high": high, "p": p, "word": word}
    return {
        f"{name} {key}": figure
        for key, figure in found.items()
        if figure is not None and figure not in NOTHING
    }


def of_differences(differences, name_of=lambda d: str(d.measure)):
    found = {}
    for d in differences:
        found |= figures_of(name_of(d), d.mean, *interval_of(d), d.p_value, WORDS[d.finding])
    return found


def of_records(records, name_of=lambda row: row["measure"]):
    found = {}
    for row in records:
        interval = row["interval"] or {}
        low, high = interval.get("low"), interval.get("high")
        word = WORDS[row["finding"]]
        found |= figures_of(name_of(row), row["difference"], low, high, row["p_value"], word)
    return found


def of_rows(rows, name_of=lambda row: row["measure"]):
    found = {}
    for row in rows:
        interval = ends(row["95% interval"])
        found |= figures_of(name_of(row), row["difference"], *interval, row["p"], row["result"])
    return found


def true_comparison(world):
    found = world.comparison
    return {"sentence": found.sentence, **of_differences(found.differences)}


def comparison_in_a_notebook(world, _):
    shown = page_of(world.comparison._repr_html_())
    rows = html_rows(shown, "measure", "95% interval")
    return {"sentence": shown.find("strong").text, **of_rows(rows)}


def comparison_by_command(world, _):
    text = command(world, "compare", *FILES, *NAMED)
    sentence = without_endings(text.splitlines()[0])
    return {"sentence": sentence, **of_rows(plain_rows(text, "measure", "result"))}


def comparison_by_json(world, _):
    found = as_json(world, "compare", *FILES, *NAMED)
    sentence = without_endings(found["sentence"])
    return {"sentence": sentence, **of_records(found["differences"])}


def comparison_by_csv(world, _):
    text = command(world, "compare", *FILES, *NAMED, "--format", "csv")
    found = {}
    for row in csv.DictReader(io.StringIO(text)):
        figures = [
            float(row[key]) if row[key] else None
            for key in ("difference", "low", "high", "p_value")
        ]
        found |= figures_of(row["measure"], *figures, WORDS[row["finding"]])
    return found


def comparison_in_markdown(world, _):
    text = command(world, "compare", *FILES, *NAMED, "--format", "markdown")
    sentence = without_endings(text.splitlines()[0].removeprefix("### "))
    rows = [row for row in plain_rows(text, "measure", "result") if "---" not in row["p"]]
    return {"sentence": sentence, **of_rows(rows)}


def comparison_in_latex(world, _):
    """Of words there are marks alone: what is not clear, or not tested, has none."""
    text = command(world, "compare", *FILES, *NAMED, "--format", "latex")
    head, _, new = (line.strip(" \\").split(" & ") for line in text.splitlines() if " & " in line)
    marks = {r"\dagger": "better", r"\ddagger": "worse"}
    unmarked = {"RR": WORDS["untested"]}
    return {
        f"{name} word": next(
            (w for m, w in marks.items() if m in cell), unmarked.get(name, WORDS["unclear"])
        )
        for name, cell in zip(head[1:], new[1:], strict=True)
    }


def comparison_by_http(world, _):
    found = posted(
        world,
        "/v1/comparisons",
        {
            "baseline": world.run_ids["old"],
            "candidates": [world.run_ids["new"]],
            "measures": [*MEASURES],
        },
    )
    return {"sentence": found["sentence"], **of_records(found["differences"])}


def comparison_on_the_page(world, _):
    return compared_on(page(world, f"/compare?a={world.run_ids['old']}&b={world.run_ids['new']}"))


def compared_on(shown):
    p_of = {row["Measure"]: row["p"] for row in html_rows(shown, "Measure", "Interval", "p")}
    found = {"sentence": shown.find("h1").text}
    for link in shown.find("div", class_="wide").find_all("a"):
        name, mean, interval, word = re.fullmatch(
            r"(\S+) (\S+?)(?: +\[(.+)\])?: (.+)", link["aria-label"]
        ).groups()
        found |= figures_of(name, mean, *ends(interval or ""), p_of[name], word)
    return found


def comparison_on_the_run_page(world, _):
    found = {}
    for tile in page(world, f"/runs/{world.run_ids['new']}").find_all("div", class_="tile"):
        name, change = tile.find("dt").text, tile.find("span", class_="finding")
        title = tile.find(class_="tile-change")["title"]
        word = WORDS[change["class"].split()[-1]]
        if title == word.capitalize():  # there is no interval
            title = ""
        low, high = ends(title.removeprefix("95% interval "))
        found |= figures_of(name, change.text, low, high, None, word)
    return found


def comparison_on_the_overview(world, _):
    deadline = time.monotonic() + 60
    while not (told := page(world, "/").find_all(class_="figure-change")):
        assert time.monotonic() < deadline, "runs are scored in the background"
        time.sleep(0.1)
    change = told[0].find("span", class_="finding")
    word = WORDS[change["class"].split()[-1]]
    return {f"{LEAD} difference": change.text, f"{LEAD} word": word}


def comparison_in_the_report(world, _):
    shown = report(world, "compare", *FILES, *NAMED)
    rows = html_rows(shown, "measure", "95% interval")
    return {"sentence": without_endings(shown.find("h1").text), **of_rows(rows)}


def comparison_in_pytest(world, pytester):
    found = in_pytest(pytester, world, """[
        [d.mean, d.interval.low, d.interval.high, d.p_value, d.finding]
        for d in berryeval_results.assert_no_regression(
            "old.run", "nDCG@10", margin=0.9
        ).comparison.differences
    ]""")  # fmt: skip
    [[mean, low, high, p, finding]] = found
    return figures_of(LEAD, mean, low, high, p, WORDS[finding])


# Slices of the lead measure: the same of each.


def true_slices(world):
    sliced = [d for d in world.comparison.sliced if str(d.measure) == LEAD]
    assert len(sliced) == 2
    return of_differences(sliced, lambda d: d.slice.value)


def sliced_records(found):
    records = [row for row in found["slices"] if row["measure"] == LEAD]
    return of_records(records, lambda row: row["slice"]["value"])


def sliced_rows(rows):
    rows = [row for row in rows if row["measure"] == LEAD]
    return of_rows(rows, lambda row: row["slice"].partition("=")[2])


def slices_by_command(world, _):
    """Asked for with three measures, and with one."""
    text = command(world, "compare", *FILES, *NAMED, *BY)
    return sliced_rows(plain_rows(text, "slice", "measure"))


def slices_by_json(world, _):
    return sliced_records(as_json(world, "compare", *FILES, "-m", LEAD, *BY))


def slices_by_http(world, _):
    found = posted(
        world,
        "/v1/comparisons",
        {
            "baseline": world.run_ids["old"],
            "candidates": [world.run_ids["new"]],
            "measures": [LEAD],
            "slices": ["category"],
        },
    )
    return sliced_records(found)


def slices_on_the_page(world, _):
    shown = page(world, f"/compare?a={world.run_ids['old']}&b={world.run_ids['new']}")
    rows = shown.find("table", class_="slices").find("tbody").find_all("tr")
    found = {}
    for row in rows:
        name = row.find("a").text.split()[-1]
        change = row.find("span", class_="change")
        word = {"equal": WORDS["unclear"]}.get(kind := change["class"].split()[-1], kind)
        found |= figures_of(
            name, change.text, *ends(row.find("td", class_="muted").text), None, word
        )
    return found


def slices_on_the_run_page(world, _):
    part = page(world, f"/runs/{world.run_ids['new']}").find(id="slices")
    found = {}
    for row in part.find("tbody").find_all("tr"):
        change = row.find("span", class_="finding")
        word = WORDS[change["class"].split()[-1]]
        name = row.find("a").text.split()[-1]
        found |= {f"{name} difference": change.text, f"{name} word": word}
    return found


def slices_in_the_report(world, _):
    shown = report(world, "compare", *FILES, *NAMED, *BY)
    return sliced_rows(html_rows(shown, "slice", "measure", "result"))


def slices_in_pytest(world, pytester):
    found = in_pytest(pytester, world, """{
        guard.slice.value: guard.value for guard in berryeval_results.gate.guards if guard.slice
    }""")  # fmt: skip
    return {f"{name} difference": value for name, value in found.items()}


# A gate: the verdict, the sentence, and of each guard the verdict, the reason and the figures.


@cache
def decided(folder, settings="berryeval.toml"):
    """Return the verdict as Python gives it of a first look."""
    read = read_settings(folder / settings)
    judgments = be.read_judgments(folder / "qrels.txt")
    queries = {query.query_id: query for query in be.read_queries(folder / "queries.jsonl")}
    run, baseline = be.read_run(read.run), be.read_run(read.baseline)
    return decide(read, judgments, run, queries, baseline=baseline, past=[])


def guard_figures(name, verdict, value, limit, reason=None, interval=(None, None)):
    found = {"verdict": verdict, "value": value, "limit": limit, "reason": reason}
    found |= dict(zip(("low", "high"), interval, strict=True))
    return {f"{name} {key}": figure for key, figure in found.items() if figure is not None}


def true_gate(world):
    result = decided(world.folder)
    found = {"verdict": result.verdict, "sentence": result.sentence.capitalize()}
    for guard in result.guards:
        found |= guard_figures(
            guard.name, guard.verdict, guard.value, guard.limit, guard.reason, interval_of(guard)
        )
    return found


def gate_records(found):
    result = {"verdict": found["verdict"], "sentence": found["sentence"].capitalize()}
    for row in found["guards"]:
        interval = row["interval"] or {}
        result |= guard_figures(
            row["name"], row["verdict"], row["value"], row["limit"], row["reason"],
            (interval.get("low"), interval.get("high")),
        )  # fmt: skip
    return result


def gate_by_command(world, _):
    """Of guards that pass the table has no reasons."""
    text = command(world, "gate")
    verdict, _, sentence = text.splitlines()[0].partition(": ")
    found = {"verdict": verdict.lower(), "sentence": sentence.capitalize()}
    for row in plain_rows(text, "guard", "p pass"):
        name = row["guard"]
        interval = ends(row["interval"])
        verdict = re.match(r"\w+", row["verdict"])[0]
        found |= guard_figures(name, verdict, row["value"], row["limit"], None, interval)
    return found


def gate_by_json(world, _):
    return gate_records(as_json(world, "gate"))


def gate_by_http(world, _):
    run = {"run": world.run_ids["new"]}
    return gate_records(posted(world, "/v1/gates/ship/verdicts", run)["report"])


def gate_on_the_page(world, _):
    asked = posted(world, "/v1/gates/ship/verdicts", {"run": world.run_ids["new"]})
    shown = page(world, f"/gates/ship/verdicts/{asked['verdict_id']}")
    verdict = shown.find("section", class_="verdict-card")
    found = {
        "verdict": verdict.find(class_="badge").text,
        "sentence": verdict.find(class_="verdict-sentence").text.capitalize(),
    }
    for table in shown.find_all("table", class_="guard-table"):
        for row in table.find("tbody").find_all("tr"):
            name, reason = row.find("span", dir="auto").text, row.find(class_="reason").text
            value, limit, interval, _ = (cell.text for cell in row.find_all("td", class_="n"))
            found |= guard_figures(
                name, row.find(class_="badge").text, value, limit, reason, ends(interval)
            )
    return found


def gate_in_the_report(world, _):
    """A reason has its subject there, and goes without comparison."""
    shown = report(world, "gate")
    badge = shown.find(class_="hero").find(class_="badge").text
    sentence = shown.find("h1").text.replace("\u2212", "-").capitalize()
    found = {"verdict": badge.lower(), "sentence": sentence}
    for row in shown.find("table", class_="guards").find("tbody").find_all("tr"):
        cells = [cell.text for cell in row.find_all("td")]
        name = row.find("th").inside[0]
        found |= guard_figures(name, cells[0].lower(), cells[1], cells[2], None, ends(cells[3]))
    return found


def gate_in_pytest(world, pytester, settings="berryeval.toml"):
    found = in_pytest(pytester, world, """{
        "verdict": berryeval_results.gate.verdict,
        "sentence": berryeval_results.gate.sentence,
        "guards": [
            {
                "name": one.name, "verdict": one.verdict, "value": one.value, "limit": one.limit,
                "reason": one.reason,
                "interval": one.interval and {
                    "low": one.interval.low, "high": one.interval.high
                },
            }
            for one in berryeval_results.gate.guards
        ],
    }""", settings)  # fmt: skip
    return gate_records(found)


# Power: the smallest drop that the queries detect, and how many a margin of P@5 needs. A gate
# that is inconclusive gives the same number.


def true_power(world):
    [found] = sensitivity(
        world.folder / "qrels.txt", world.folder / "new.run", "P@5",
        against=world.folder / "old.run", margins=[MARGIN],
    )  # fmt: skip
    [spread] = found.spreads
    [(_, needed)] = spread.needed
    return {"smallest drop": spread.smallest_drop, "needed": needed}


POWER = ("power", "qrels.txt", "new.run", "--against", "old.run", "-m", "P@5", "--margin", MARGIN)


def whole(text):
    return int(text.replace(",", ""))


def power_by_command(world, _):
    [row] = plain_rows(command(world, *POWER), "smallest drop")
    needed = row[f"N for {MARGIN:g}"].partition(" ")[0]  # and its range
    return {"smallest drop": row["smallest drop"], "needed": whole(needed)}


def power_by_json(world, _):
    [spread] = as_json(world, *POWER)["measures"][0]["spreads"]
    return {"smallest drop": spread["smallest_drop"], "needed": spread["needed"][0]["queries"]}


def power_on_the_page(world, _):
    address = (
        f"/power?source=runs&a={world.run_ids['new']}&b={world.run_ids['old']}"
        f"&measure=P@5&margin={MARGIN}"
    )
    shown = page(world, address, **{"HX-Request": "true"})
    said = shown.find(class_="power-sentence").text
    drop, needed = re.search(
        r"a drop of ([\d.]+) in P@5\. A margin of \S+ needs (\d+)", said
    ).groups()
    tiles = {tile.find("dt").text: tile.find(class_="figure").text for tile in
             shown.find_all("div", class_="tile")}  # fmt: skip
    assert tiles["Smallest drop that can be seen"] == drop
    assert tiles[f"Queries for a margin of {MARGIN}"] == needed
    return {"smallest drop": drop, "needed": whole(needed)}


def said_to_be_needed(text):
    said = re.search(r"About ([\d,]+) queries \([\d,]+ to [\d,]+\) are needed", text)
    return {"needed": whole(said[1])}


def power_in_a_verdict(world, _):
    assert decided(world.folder, TIGHT).verdict == "inconclusive", "the world is made so"
    return said_to_be_needed(command(world, "gate", "--config", TIGHT))


def power_by_http(world, _):
    found = posted(world, "/v1/gates/tight/verdicts", {"run": world.run_ids["old"]})
    [guard] = found["report"]["guards"]
    return {"needed": guard["queries_needed"]}


def power_on_the_verdict_page(world, _):
    asked = posted(world, "/v1/gates/tight/verdicts", {"run": world.run_ids["old"]})
    shown = page(world, f"/gates/tight/verdicts/{asked['verdict_id']}")
    about = shown.find(class_="needed").text
    assert said_to_be_needed(shown.text)["needed"] == whole(about.split()[1])
    return {"needed": whole(about.split()[1])}


def power_in_the_report(world, _):
    return said_to_be_needed(report(world, "gate", "--config", TIGHT).text)


def power_in_pytest(world, pytester):
    [found] = in_pytest(
        pytester, world, "[one.queries_needed for one in berryeval_results.gate.guards]", TIGHT
    )
    return {"needed": found}


TRUTHS = {
    "means": true_means,
    "comparison": true_comparison,
    "slices": true_slices,
    "gate": true_gate,
    "power": true_power,
}
DOORS = [
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
    ("question", "door", "left_out"), DOORS, ids=[door.__name__ for _, door, _ in DOORS]
)
def test_every_door_gives_the_same_answer(world, pytester, question, door, left_out):
    """Numbers to the digits that are shown, sentences and words to the letter."""
    expected = {
        key: value
        for key, value in TRUTHS[question](world).items()
        if not set(key.split()) & set(left_out)
    }
    assert expected
    assert faults(door(world, pytester), expected) == {}


def test_by_default_every_door_decides_on_the_same_measures(world):
    """Where none is named: a family of another size would have other intervals and words."""
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
    assert {door: faults(shown, expected) for door, shown in found.items()} == {
        "command": {}, "http": {}, "report": {}, "page": {},
    }  # fmt: skip


def test_noise_is_counted_in_by_pytest_as_by_the_command(world, pytester):
    """Where berryeval.toml names further runs of the candidate."""
    told = gate_records(as_json(world, "gate", "--config", NOISY))
    assert told != gate_records(as_json(world, "gate")), "the noise makes a difference"
    assert faults(gate_in_pytest(world, pytester, NOISY), told) == {}


def test_every_question_is_asked_at_every_door():
    """Command line, HTTP, workbench, HTML report and pytest; Python is the truth."""
    for question in TRUTHS:
        names = " ".join(door.__name__ for asked, door, _ in DOORS if asked == question)
        for door in ("command", "http", "page", "report", "pytest"):
            assert door in names, f"{question}: {door}"


def test_the_world_has_every_answer(world):
    """One measure each that is better, untested and unclear, and gates that pass and do not."""
    words = [difference.finding for difference in world.comparison.differences]
    assert words == ["better", "untested", "unclear"]
    assert decided(world.folder).verdict == "pass"
    assert decided(world.folder, TIGHT).guards[0].queries_needed > world.comparison.n_queries
