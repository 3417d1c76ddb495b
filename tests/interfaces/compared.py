"""Means, comparisons and slices, as each interface shows them."""

import csv
import io
import re

from interfaces.queries_by_door import (
    BY,
    FILES,
    LEAD,
    NAMED,
    as_json,
    command,
    in_pytest,
    page,
    posted,
    report,
    without_endings,
)
from interfaces.reading import NOTHING, WORDS, ends, html_rows, page_of, plain_rows
from interfaces.world import MEASURES
from waiting import wait_until

# Means, and the interval of each.


def true_means(world):
    found = {}
    for name, result in world.comparison.evaluations["new"].items():
        interval = result.interval
        found |= {name: result.mean, f"{name} low": interval.low, f"{name} high": interval.high}
    return found


def shown_means(cells):
    """Parse ``0.8 [0.7, 0.9]``, or figures."""
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
    """Return differences from marks; unclear and untested ones have no mark."""
    text = command(world, "compare", *FILES, *NAMED, "--format", "latex")
    rows = [line.strip(" \\").split(" & ") for line in text.splitlines() if " & " in line]
    (head, _, new), differences = rows[:3], rows[4:]
    marks = {r"\dagger": "better", r"\ddagger": "worse"}
    words = {measure: word for _, measure, _, _, _, word in differences}
    for name, cell in zip(head[1:], new[1:], strict=True):
        marked = [word for mark, word in marks.items() if mark in cell]
        assert marked == [words[name]] * (words[name] in marks.values())
    return {f"{measure} word": word for measure, word in words.items()}


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
    # runs are scored in the background
    message = wait_until(lambda: page(world, "/").find_all(class_="figure-change"))
    change = message[0].find("span", class_="finding")
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


# Slices of the lead measure, with the same figures for each.


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
    """Slices are requested with three measures, and with one."""
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
