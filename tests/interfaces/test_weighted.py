"""Weights and strata in every interface, before they exist and after they change.

Python is the reference. An interface that caches results must notice that weights have changed.
"""

import json

import pytest

import berryeval as be
from berryeval.suite import history
from interfaces.queries_by_door import (
    LEAD,
    NAMED,
    as_json,
    command,
    in_pytest,
    page,
    posted,
    report,
)
from interfaces.reading import ends
from interfaces.world import MEASURES, World, fill, served, write_files
from waiting import wait_until


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """The files and the service, without weights; each test adds its own."""
    folder = tmp_path_factory.mktemp("weighted")
    write_files(folder)
    archive, client = served(folder)
    with archive, client:
        yield World(folder, archive, client, fill(client, folder))


def weigh(world, weights, strata=None):
    """Give the queries weights, and optionally strata, in the file and in the service."""
    path = world.folder / "queries.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row, weight, stratum in zip(rows, weights, strata or [None] * 48, strict=True):
        row |= {"weight": weight, "stratum": stratum}
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    queries = [{"query_id": row["id"], "text": row["query"], "category": row["category"],
                "weight": row["weight"], "stratum": row["stratum"]} for row in rows]  # fmt: skip
    assert world.client.post("/v1/queries", json={"queries": queries}).status_code == 200


def python(world):
    """Return the result of `compare` for both runs."""
    return world.comparison


def shown(text):
    return float(text.replace("\u2212", "-"))


def settled(world, address):
    """Return a page once it is up to date."""

    def up_to_date():
        found = page(world, address)
        return None if any(words in found.text for words in WAITING) else found

    return wait_until(up_to_date)


WAITING = ("being counted", "being scored")


def evaluated(world):
    """Return the lead measure's mean of the new run, by interface."""
    queries = ("--queries", "queries.jsonl")
    asked = posted(world, "/v1/evaluations", {"run": world.run_ids["new"], "measures": [*MEASURES]})
    address = f"/v1/evaluations/{asked['evaluation_id']}"
    [run] = as_json(world, "evaluate", "qrels.txt", "new.run", *NAMED, *queries)["runs"]
    tile = settled(world, f"/runs/{world.run_ids['new']}").find("div", class_="tile")
    table = command(world, "evaluate", "qrels.txt", "new.run", *NAMED, *queries)
    [line] = [line for line in table.splitlines() if line.startswith(LEAD)]
    listed = world.client.get("/v1/evaluations").json()["items"]
    return {
        "json": run["means"][LEAD],
        "table": shown(line.split()[-1]),
        "posted": asked["means"][LEAD],
        "got": world.client.get(address).json()["means"][LEAD],
        "listed": next(
            one["means"][LEAD] for one in listed if one["evaluation_id"] == asked["evaluation_id"]
        ),
        "report": world.client.get(f"{address}/report").json()["means"][LEAD],
        "page": shown(tile.find(class_="figure").text),
    }


WEIGHTS = [1 + (7 * number) % 23 for number in range(48)]
OTHERS = [1 + (5 * number) % 11 for number in range(48)]
STRATA = ["howto", "errors", "howto", "facts"] * 12


@pytest.mark.parametrize("weights", [WEIGHTS, OTHERS], ids=["first", "changed"])
def test_every_interface_has_the_weighted_mean(world, weights):
    """Means never use outdated weights."""
    weigh(world, weights)
    truth = python(world).evaluations["new"]
    plain = be.evaluate(world.folder / "qrels.txt", world.folder / "new.run", MEASURES)
    assert truth[LEAD].mean != pytest.approx(plain[LEAD].mean, abs=5e-4)
    for interface, mean in evaluated(world).items():
        digits = 5e-4 if interface == "page" else 5e-5 if interface == "table" else 1e-12
        assert mean == pytest.approx(truth[LEAD].mean, abs=digits), interface
    assert f"{truth[LEAD].mean:.4f}" in settled(world, "/runs").text


def test_every_interface_shows_the_effective_number_of_queries(world):
    """Kish's effective sample size is shown wherever means are weighted."""
    weigh(world, WEIGHTS)
    worth = python(world).sampling.effective_queries
    queries = ("--queries", "queries.jsonl")
    [run] = as_json(world, "evaluate", "qrels.txt", "new.run", *NAMED, *queries)["runs"]
    assert run["effective_queries"] == pytest.approx(worth)
    asked = posted(world, "/v1/evaluations", {"run": world.run_ids["new"], "measures": [*MEASURES]})
    assert asked["effective_queries"] == pytest.approx(worth)
    message = f"worth {worth:.1f}"
    ids = world.run_ids
    pages = ("/", f"/runs/{ids['new']}", f"/compare?a={ids['old']}&b={ids['new']}")
    for address in pages:
        assert message in settled(world, address).text, address
    address = f"/power?source=runs&a={ids['old']}&b={ids['new']}"
    assert message in page(world, address, **{"HX-Request": "true"}).text
    for words in (
        ("evaluate", "qrels.txt", "new.run"),
        ("compare", "qrels.txt", "old.run", "new.run"),
        ("power", "qrels.txt", "old.run", "--against", "new.run"),
    ):
        assert message in " ".join(command(world, *words, *queries).split()), words
    assert message in report(world, "compare", "qrels.txt", "old.run", "new.run", *queries).text


@pytest.mark.parametrize("strata", [None, STRATA], ids=["plain", "strata"])
def test_a_comparison_has_the_same_difference_everywhere(world, strata):
    """Interval and p-value are also equal, for slices and for strata."""
    weigh(world, OTHERS, strata)
    truth = python(world)
    assert truth.sampling.strata == (None if strata is None else tuple(strata))
    ids, queries = world.run_ids, ("--queries", "queries.jsonl")
    body = {"baseline": ids["old"], "candidates": [ids["new"]], "measures": [*MEASURES],
            "slices": ["category"]}  # fmt: skip
    by_http = posted(world, "/v1/comparisons", body)
    files = ("qrels.txt", "old.run", "new.run")
    by_command = as_json(world, "compare", *files, *NAMED, *queries, "--by", "category")
    for found in (by_http, by_command):
        for kind, expected in (("differences", truth.differences), ("slices", truth.sliced)):
            for row, difference in zip(found[kind], expected, strict=True):
                assert row["difference"] == pytest.approx(difference.mean, abs=1e-12)
                assert row["p_value"] == difference.p_value
                if difference.interval is not None:
                    assert row["interval"]["low"] == pytest.approx(difference.interval.low)
                    assert row["interval"]["high"] == pytest.approx(difference.interval.high)
                assert row["effective_queries"] == difference.sampling.effective_queries
    shown_page = settled(world, f"/compare?a={ids['old']}&b={ids['new']}")
    tiles = [tile.find(class_="figure").text for tile in shown_page.find_all("div", class_="tile")]
    assert shown(tiles[0]) == pytest.approx(truth.differences[0].candidate_mean, abs=5e-4)
    assert shown(tiles[1]) == pytest.approx(truth.differences[0].mean, abs=5e-4)
    sliced = settled(world, f"/runs/{ids['new']}").text
    part = truth.evaluations["new"].by("category")["how"][LEAD].mean
    assert f"{part:.4f}"[:5] in sliced


def test_an_interval_of_a_mean_uses_strata_in_every_interface(world):
    """The service updates an interval that it has shown before."""
    weigh(world, OTHERS)
    body = {"run": world.run_ids["new"], "measures": [*MEASURES]}
    evaluation_id = posted(world, "/v1/evaluations", body)["evaluation_id"]
    address = f"/v1/evaluations/{evaluation_id}/report?intervals=true"
    arguments = ("evaluate", "qrels.txt", "new.run", *NAMED, "--intervals")
    scores = python(world).evaluations["new"][LEAD]
    kinds = ["easy" if score > scores.mean else "hard" for score in scores.values]
    found = []
    for strata in (None, kinds):
        weigh(world, OTHERS, strata)
        truth = python(world).evaluations["new"][LEAD].interval
        [by_command] = as_json(world, *arguments, "--queries", "queries.jsonl")["runs"]
        for record in (world.client.get(address).json(), by_command):
            assert record["intervals"][LEAD] == pytest.approx([truth.low, truth.high])
        tile = settled(world, f"/runs/{world.run_ids['new']}").find("div", class_="tile")
        message = [shown(end) for end in ends(tile.find(class_="interval").text)]
        assert message == pytest.approx([truth.low, truth.high], abs=5e-4)
        found.append(truth)
    assert found[1].low - found[0].low > 2e-3


def test_gates_and_histories_use_weights(world, pytester):
    """Command, HTTP and pytest agree, and the history file stores the weights."""
    weigh(world, WEIGHTS)
    truth = python(world).difference("new", LEAD)
    written = as_json(world, "gate")["guards"][0]
    posted_verdict = posted(world, "/v1/gates/ship/verdicts", {"run": world.run_ids["new"]})
    by_http = posted_verdict["report"]["guards"][0]
    mean = in_pytest(pytester, world, f"berryeval_results.measure({LEAD!r}).mean")
    for guard in (written, by_http):
        assert guard["value"] == pytest.approx(truth.mean, abs=1e-12)
        assert guard["candidate_mean"] == pytest.approx(truth.candidate_mean, abs=1e-12)
        assert guard["effective_queries"] == pytest.approx(truth.sampling.effective_queries)
    assert mean == pytest.approx(truth.candidate_mean, abs=1e-12)
    path = world.folder / "history.jsonl"
    path.unlink(missing_ok=True)
    arguments = ("evaluate", "qrels.txt", "new.run", *NAMED, "--queries", "queries.jsonl")
    command(world, *arguments, "--history", path)
    weigh(world, OTHERS)
    command(world, *arguments, "--history", path)
    first, second = history.read(path).entries
    assert first.means[LEAD] == pytest.approx(truth.candidate_mean, abs=1e-12)
    assert first.weights == truth.sampling.weights
    assert not first.is_comparable(second)
    [archived] = [
        point
        for point in world.client.get("/v1/history", params={"measure": LEAD}).json()["points"]
        if point["run_id"] == world.run_ids["new"]
    ]
    assert archived["mean"] == pytest.approx(second.means[LEAD], abs=1e-12)


def test_removed_weights_have_no_effect(world):
    """Cached results are discarded with them."""
    weigh(world, [None] * 48)
    truth = python(world).evaluations["new"]
    assert truth.weights is None
    for interface, mean in evaluated(world).items():
        digits = 5e-4 if interface == "page" else 5e-5 if interface == "table" else 1e-12
        assert mean == pytest.approx(truth[LEAD].mean, abs=digits), interface
