"""The same five questions through every door, and the same numbers and words behind each.

Python is the truth; command line, HTTP, workbench, HTML report and pytest have to repeat it, with
as many digits as they show.
"""

import json
import re
from functools import cache

import pytest
from click.testing import CliRunner

import berryeval as be
from berryeval.cli import main
from berryeval.evaluation.power import sensitivity
from berryeval.suite.gate import decide
from berryeval.suite.settings import read_settings
from doors.world import MARGIN, MEASURES
from service.workbench.html import HTML, parse


def command(world, *arguments, code=0):
    """Return what a command prints, started in the folder of the world."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(world.folder)
        found = CliRunner().invoke(main, [*map(str, arguments)], prog_name="berryeval")
    assert found.exit_code == code, found.output
    return found.output


def page(world, address):
    """Return the text of a page of the workbench."""
    answer = world.client.get(address, headers=HTML)
    assert answer.status_code == 200, answer.text
    return parse(answer.text).text.replace("\u2212", "-")


def report(world, *arguments, code=0):
    """Return the text of an HTML report."""
    path = world.folder / "report.html"
    command(world, *arguments, "-o", path, code=code)
    markup = re.sub(r"<(script|style)\b.*?</\1>", " ", path.read_text(), flags=re.DOTALL)
    return parse(markup).text.replace("\u2212", "-")


def in_pytest(pytester, world, body):
    """Run a test of the plugin in the world's folder, and return what it wrote."""
    for name in ("qrels.txt", "queries.jsonl", "old.run", "new.run", "berryeval.toml"):
        pytester.path.joinpath(name).write_text((world.folder / name).read_text())
    pytester.makepyfile(f"import json, pathlib\n\ndef test_it(berryeval_results):\n{body}")
    pytester.runpytest_inprocess().assert_outcomes(passed=1)
    return json.loads(pytester.path.joinpath("written.json").read_text())


def agrees(text, name, value, *, signed=False):
    """Tell whether a number stands behind a name, with three or four digits."""
    sign = "+" if signed else ""
    shown = [re.escape(f"{value:{sign}.{digits}f}") for digits in (4, 3)]
    return re.search(rf"{re.escape(name)}\W+(?:\S+\W+){{0,3}}?({'|'.join(shown)})\b", text)


FILES = ("qrels.txt", "old.run", "new.run")
NAMED = [part for measure in MEASURES for part in ("-m", measure)]
BY = ("--queries", "queries.jsonl", "--by", "category")


@cache
def truth(folder):
    """Return the comparison, and the gate's verdict, as Python gives them."""
    settings = read_settings(folder / "berryeval.toml")
    judgments = be.read_judgments(folder / "qrels.txt")
    queries = {query.query_id: query for query in be.read_queries(folder / "queries.jsonl")}
    run, baseline = (be.read_run(folder / f"{name}.run") for name in ("new", "old"))
    return decide(settings, judgments, run, queries, baseline=baseline)


def test_means_are_the_same_everywhere(world, pytester):
    """nDCG@10, RR and P@5 of the new run, and the interval of each."""
    result = world.comparison.evaluations["new"]
    means = result.to_dict()
    evaluated = json.loads(
        command(world, "evaluate", "qrels.txt", "new.run", *NAMED, "--interval", "t", "--json")
    )["runs"][0]
    assert evaluated["means"] == means
    asked = world.client.post("/v1/evaluations", json={"run": world.run_ids["new"],
                                                       "measures": [*MEASURES]}).json()  # fmt: skip
    assert asked["means"] == means
    written = in_pytest(pytester, world, f"""
    results = map(berryeval_results.measure, {MEASURES!r})
    found = {{str(one.measure): [one.mean, one.interval.low] for one in results}}
    pathlib.Path("written.json").write_text(json.dumps(found))
""")  # fmt: skip
    assert {name: mean for name, (mean, _) in written.items()} == means
    text = report(world, "compare", *FILES, *NAMED)
    shown = page(world, f"/runs/{world.run_ids['new']}")
    for name, mean in means.items():
        interval = result[name].interval
        assert evaluated["intervals"][name] == [interval.low, interval.high]
        assert written[name][1] == interval.low
        assert agrees(shown, name, mean), name
        assert f"{interval.low:.3f} \u2013 {interval.high:.3f}" in shown
        assert f"{mean:.4f}" in text


def test_a_comparison_says_the_same_everywhere(world, pytester):
    """Sentence, differences, intervals, p-values and words."""
    comparison = world.comparison
    told = json.loads(command(world, "compare", *FILES, *NAMED, "--json"))
    asked = world.client.post("/v1/comparisons", json={
        "baseline": world.run_ids["old"], "candidates": [world.run_ids["new"]],
        "measures": [*MEASURES],
    }).json()  # fmt: skip
    for found in (told, asked):
        names = found["baseline"], found["candidates"][0]
        sentence = comparison.sentence.replace("new is", f"{names[1]} is").replace(
            "old:", f"{names[0]}:"
        )
        assert found["sentence"] == sentence
        for row, difference in zip(found["differences"], comparison.differences, strict=True):
            assert row["measure"] == str(difference.measure)
            assert row["finding"] == difference.finding
            assert row["p_value"] == difference.p_value
            assert row["difference"] == difference.mean
            assert row["interval"]["low"] == difference.interval.low
    shown = page(world, f"/compare?a={world.run_ids['old']}&b={world.run_ids['new']}")
    text = report(world, "compare", *FILES, *NAMED)
    plain = command(world, "compare", *FILES, *NAMED)
    run_page = page(world, f"/runs/{world.run_ids['new']}")
    overview = page(world, "/")
    lead = comparison.differences[0]
    words = f"nDCG@10 rises from {lead.baseline_mean:.4f} to {lead.candidate_mean:.4f}."
    assert lead.finding == "better", "the world is made so that the lead is clear"
    for where in (shown, text, plain):
        assert words in where
    assert f"{lead.mean:+.3f} against main" in overview
    for difference in comparison.differences:
        low, high = difference.interval.low, difference.interval.high
        assert f"[{low:+.4f}, {high:+.4f}]" in text
        assert f"[{low:+.4f}, {high:+.4f}]" in plain
        assert f"{low:+.4f}" in shown
        assert f"{difference.p_value:.4f}" in shown
        assert agrees(run_page, f"{difference.measure}", difference.candidate_mean)
        assert f"{difference.mean:+.3f}" in run_page
    written = in_pytest(pytester, world, """
    found = berryeval_results.assert_no_regression(
        "old.run", "nDCG@10", margin=0.9
    ).comparison.differences[0]
    pathlib.Path("written.json").write_text(
        json.dumps([found.finding, found.mean, found.interval.low, found.p_value])
    )
""")  # fmt: skip
    assert written == [lead.finding, lead.mean, lead.interval.low, lead.p_value]


def test_slices_say_the_same_everywhere(world):
    """Whether they are asked for with one measure or with three, on a page or in a report."""
    told = json.loads(command(world, "compare", *FILES, *NAMED, *BY, "--json"))["slices"]
    asked = world.client.post("/v1/comparisons", json={
        "baseline": world.run_ids["old"], "candidates": [world.run_ids["new"]],
        "measures": ["nDCG@10"], "slices": ["category"],
    }).json()["slices"]  # fmt: skip
    shown = page(world, f"/compare?a={world.run_ids['old']}&b={world.run_ids['new']}")
    run_page = page(world, f"/runs/{world.run_ids['new']}")
    text = report(world, "compare", *FILES, *NAMED, *BY)
    sliced = [one for one in world.comparison.sliced if str(one.measure) == "nDCG@10"]
    assert len(sliced) == 2
    for difference in sliced:
        for rows in (told, asked):
            [row] = [
                row for row in rows
                if row["measure"] == "nDCG@10" and row["slice"]["value"] == difference.slice.value
            ]  # fmt: skip
            assert row["finding"] == difference.finding
            assert row["interval"]["low"] == difference.interval.low
            assert row["p_value"] == difference.p_value
        low, high = difference.interval.low, difference.interval.high
        assert f"{low:+.3f} to {high:+.3f}" in shown
        assert f"[{low:+.4f}, {high:+.4f}]" in text
        assert f"{difference.mean:+.4f}" in run_page


def test_a_gate_decides_the_same_everywhere(world, pytester):
    """Verdict, sentence, and the verdict and figures of each guard."""
    decided = truth(world.folder)
    told = json.loads(command(world, "gate", "--json"))
    asked = world.client.post("/v1/gates/ship/verdicts", json={"run": world.run_ids["new"]}).json()
    for found in (told, asked["report"]):
        assert (found["verdict"], found["sentence"]) == (decided.verdict, decided.sentence)
        for row, guard in zip(found["guards"], decided.guards, strict=True):
            assert (row["verdict"], row["reason"]) == (guard.verdict, guard.reason)
            assert (row["value"], row["p_pass"], row["p_fail"]) == (
                guard.value, guard.p_pass, guard.p_fail,
            )  # fmt: skip
    shown = page(world, f"/gates/ship/verdicts/{asked['verdict_id']}")
    text = report(world, "gate")
    plain = command(world, "gate")
    for where in (shown, text, plain):
        assert decided.sentence[1:] in where
        assert decided.verdict in where.lower()
    written = in_pytest(pytester, world, """
    found = berryeval_results.gate
    rows = [[guard.verdict, guard.reason, guard.value] for guard in found.guards]
    pathlib.Path("written.json").write_text(json.dumps([found.verdict, found.sentence, rows]))
""")  # fmt: skip
    rows = [[guard.verdict, guard.reason, guard.value] for guard in decided.guards]
    assert written == [decided.verdict, decided.sentence, rows]


def test_power_is_the_same_everywhere(world):
    """The smallest drop that the queries detect, and how many queries a margin needs."""
    [found] = sensitivity(
        world.folder / "qrels.txt", world.folder / "old.run", "nDCG@10",
        against=world.folder / "new.run", margins=[MARGIN],
    )  # fmt: skip
    [spread] = found.spreads
    [(_, needed)] = spread.needed
    told = json.loads(command(
        world, "power", "qrels.txt", "old.run", "--against", "new.run", "--margin", MARGIN, "--json"
    ))["measures"][0]["spreads"][0]  # fmt: skip
    assert told["smallest_drop"] == spread.smallest_drop
    assert told["needed"] == [{"margin": MARGIN, "queries": needed}]
    address = (
        f"/power?source=runs&a={world.run_ids['old']}&b={world.run_ids['new']}"
        f"&measure=nDCG@10&margin={MARGIN}"
    )
    answer = world.client.get(address, headers={"HX-Request": "true"})
    shown = parse(answer.text).text
    assert f"can see a drop of {spread.smallest_drop:.3f} in nDCG@10" in shown
    assert f"A margin of {MARGIN:g} needs {needed:,}" in shown
    tight = be.gate(world.comparison, margin={"nDCG@10": 0.0001}, candidate="new")
    [guard] = tight.guards
    [(_, wanted)] = sensitivity(
        world.folder / "qrels.txt", world.folder / "old.run", "nDCG@10",
        against=world.folder / "new.run", margins=[0.0001],
    )[0].spreads[0].needed  # fmt: skip
    assert guard.queries_needed in (None, wanted)
