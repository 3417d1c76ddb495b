"""Verdicts and power, as each interface shows them."""

import re
from functools import cache

import berryeval as be
from berryeval.evaluation.power import sensitivity
from berryeval.suite.gate import decide
from berryeval.suite.settings import read_settings
from interfaces.compared import interval_of
from interfaces.queries_by_door import as_json, command, in_pytest, page, posted, report
from interfaces.reading import ends, plain_rows
from interfaces.world import MARGIN, TIGHT

# A gate: the verdict and sentence, and for each guard the verdict, reason and figures.


@cache
def decided(folder, settings="berryeval.toml"):
    """Return the verdict of a first look in Python."""
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
    """Return the gate of the table, which has no reasons for guards that pass."""
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
            name = row.find("span", dir="auto").text
            reason = row.find(class_="reason").text.replace("\u2212", "-")
            value, limit, interval, _ = (cell.text for cell in row.find_all("td", class_="n"))
            found |= guard_figures(
                name, row.find(class_="badge").text, value, limit, reason, ends(interval)
            )
    return found


def gate_in_the_report(world, _):
    """Return the gate of the report, whose reasons have a subject but no comparison."""
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


# Power: the smallest drop that the queries detect, and how many a margin of P@5 requires. An
# inconclusive gate gives the same number.


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
    sentence = shown.find(class_="power-sentence").text
    drop, needed = re.search(
        r"a drop of ([\d.]+) in P@5\. A margin of \S+ needs (\d+)", sentence
    ).groups()
    tiles = {tile.find("dt").text: tile.find(class_="figure").text for tile in
             shown.find_all("div", class_="tile")}  # fmt: skip
    assert tiles["Smallest detectable drop"] == drop
    assert tiles[f"Queries for a margin of {MARGIN}"] == needed
    return {"smallest drop": drop, "needed": whole(needed)}


def stated_queries_needed(text):
    sentence = re.search(r"About ([\d,]+) queries \([\d,]+ to [\d,]+\) are needed", text)
    return {"needed": whole(sentence[1])}


def power_in_a_verdict(world, _):
    assert decided(world.folder, TIGHT).verdict == "inconclusive", "the world is made so"
    return stated_queries_needed(command(world, "gate", "--config", TIGHT))


def power_by_http(world, _):
    found = posted(world, "/v1/gates/tight/verdicts", {"run": world.run_ids["old"]})
    [guard] = found["report"]["guards"]
    return {"needed": guard["queries_needed"]}


def power_on_the_verdict_page(world, _):
    asked = posted(world, "/v1/gates/tight/verdicts", {"run": world.run_ids["old"]})
    shown = page(world, f"/gates/tight/verdicts/{asked['verdict_id']}")
    about = shown.find(class_="needed").text
    assert stated_queries_needed(shown.text)["needed"] == whole(about.split()[1])
    return {"needed": whole(about.split()[1])}


def power_in_the_report(world, _):
    return stated_queries_needed(report(world, "gate", "--config", TIGHT).text)


def power_in_pytest(world, pytester):
    [found] = in_pytest(
        pytester, world, "[one.queries_needed for one in berryeval_results.gate.guards]", TIGHT
    )
    return {"needed": found}
