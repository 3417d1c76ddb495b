"""Draws by Neyman's allocation: from Python, the command line, HTTP and the workbench alike."""

import json

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from berryeval.archive import Archive
from berryeval.cli import main
from berryeval.evaluation.label_draw import CHOSEN, LabelDraw
from berryeval.formats import read_run, write_run
from berryeval.golden.reading import read_golden_set
from berryeval.judges.admissions import ADMISSIONS
from berryeval.judges.model_grades import GRADES
from berryeval.suite.allocated_draws import draw_from_golden_set
from judges.model_judged import fill, write_model_judged
from service.workbench.html import HTML, parse
from service_server import new_app

NEYMAN = (
    "By Neyman's allocation: more where the judge's differences in nDCG@10 between old and new "
    "vary more."
)


@pytest.fixture
def golden(tmp_path):
    """A judged set with two categories; the runs are equal for one of them."""
    folder = write_model_judged(tmp_path / "golden").folder
    path = folder / "test-queries.json"
    content = json.loads(path.read_text())
    for number, query in enumerate(content["queries"]):
        query["category"] = "same" if number < 30 else "changed"
    path.write_text(json.dumps(content))
    old, new = (read_run(tmp_path / f"{name}.run").to_dict() for name in ("old", "new"))
    new |= {f"q{number}": old[f"q{number}"] for number in range(30)}
    write_run(type(read_run(tmp_path / "old.run")).from_dict(new), tmp_path / "new.run")
    return read_golden_set(folder)


def runs_of(golden):
    """Return both runs."""
    return {name: read_run(golden.folder.parent / f"{name}.run") for name in ("old", "new")}


def command(golden, *others):
    """Run `judge draw` by category, and return its output and the draw."""
    file = golden.folder.parent / "draw.json"
    words = ["judge", "draw", "--golden", str(golden.folder), "-n", "30", "-o", str(file)]
    result = CliRunner().invoke(main, [*words, *others])
    assert result.exit_code == 0, result.output
    return result.stdout, LabelDraw.read(file)


def named(golden):
    """Return the runs as options."""
    folder = golden.folder.parent
    return [f"--run=old={folder / 'old.run'}", f"--run=new={folder / 'new.run'}"]


def test_every_interface_draws_the_same_queries(golden, tmp_path):
    """Draws have the same counts, spreads and reason."""
    expected = draw_from_golden_set(golden, 30, by="category", runs=runs_of(golden))
    assert expected.why == NEYMAN
    counts, spreads = expected.counts, expected.spreads
    assert counts == {"same": (10, 30), "changed": (20, 30)}
    assert 0 < spreads["same"] < spreads["changed"]
    text, drawn = command(golden, "--by", "category", *named(golden))
    assert (drawn, drawn.why) == (expected, NEYMAN)
    assert text.splitlines()[1:] == [
        NEYMAN,
        f"  same: 10 of 30, spread {spreads['same']:.3f}",
        f"  changed: 20 of 30, spread {spreads['changed']:.3f}",
    ]
    with Archive.open(tmp_path / "a.db") as archive:
        run_ids = fill(archive, golden)
        with TestClient(new_app(archive), base_url="http://localhost:8765") as client:
            wanted = {"n": 30, "by": "category"}
            found = client.put("/v1/label-draws/newest", json=wanted).json()
            assert archive.label_draws.get("newest").draw == expected
            assert found["why"] == NEYMAN
            assert found["strata"]["changed"] == {
                "n_queries": 30, "n_labelled": 20, "probability": 20 / 30,
                "spread": spreads["changed"],
            }  # fmt: skip
            found = client.put("/v1/label-draws/named", json={**wanted, "runs": run_ids}).json()
            assert (found["why"], found["strata"]["same"]["n_labelled"]) == (NEYMAN, 10)
            stored = client.put("/v1/label-draws/stored", json=expected.to_dict()).json()
            assert (stored["strata"], stored["why"]) == (found["strata"], NEYMAN)
            form = {"name": "page", "n": "30", "by": "category"}
            client.post("/judges/draws", data=form, headers=HTML)
            assert archive.label_draws.get("page").draw == expected
            shown = parse(client.get("/judges/draws", headers=HTML).text).text
            offered = client.get("/judges/draws/preview?n=30&by=category", headers=HTML).text
    words = [f"{name} {n} of 30 (spread {spreads[name]:.3f})" for name, (n, _) in counts.items()]
    assert f"page {', '.join(words)}. {NEYMAN} 30 60" in shown
    assert parse(offered).text == f"{', '.join(words)}. {NEYMAN}"


REASONS = {
    "as requested": "In proportion to the number of queries, as requested.",
    "equal": "In proportion to the number of queries: the judge's differences in nDCG@10 between "
    "old and new vary as much for each category.",
    "one": "In proportion to the number of queries: there is only one category.",
    "not admitted": "In proportion to the number of queries: {where}: no judge is admitted under "
    "the current guideline; run `berryeval judge check`.",
}


@pytest.mark.parametrize("case", REASONS)
def test_every_interface_says_why_a_draw_is_in_proportion(golden, tmp_path, case):
    """In the terminal, the file, JSON, the form before the draw, and the list after it."""
    choice, flags, form = {}, [], {"n": "30", "by": "category"}
    if case == "as requested":
        choice, flags = {"allocation": "proportional"}, ["--proportional"]
        form |= choice
    elif case == "not admitted":
        (golden.folder / ADMISSIONS).unlink()
    else:
        path = golden.folder / "test-queries.json"
        content = json.loads(path.read_text())
        for number, query in enumerate(content["queries"]):
            query["category"] = "a" if case == "one" or number % 2 else "b"
        path.write_text(json.dumps(content))
        write_run(read_run(tmp_path / "old.run"), tmp_path / "new.run")
    golden = read_golden_set(golden.folder)
    text, drawn = command(golden, "--by", "category", *named(golden), *flags)
    file = tmp_path / "a.db"
    with Archive.open(file) as archive:
        fill(archive, golden)
        with TestClient(new_app(archive), base_url="http://localhost:8765") as client:
            body = {"n": 30, "by": "category", **choice}
            made = client.put("/v1/label-draws/made", json=body).json()
            assert client.get("/v1/label-draws/made").json() == made
            offered = client.get("/judges/draws/preview", params=form, headers=HTML)
            assert archive.label_draws.get("page") is None, "nothing is stored yet"
            client.post("/judges/draws", data={"name": "page", **form}, headers=HTML)
            listed = parse(client.get("/judges/draws", headers=HTML).text)
    [row] = [one for one in listed.find("tbody").find_all("tr") if one.text.startswith("page")]
    by_file = REASONS[case].format(where=golden.folder)
    by_service = REASONS[case].format(where=file)
    assert text.splitlines()[1] == drawn.why == by_file
    assert made["why"] == by_service
    assert by_service in parse(offered.text).text
    assert by_service in row.text


def test_what_is_not_known_is_drawn_in_proportion(golden):
    """The output gives the reason: no runs, no admitted judge, or an ungraded pair."""
    text, drawn = command(golden, "--by", "category")
    in_proportion = "In proportion to the number of queries: "
    assert f"{in_proportion}there are no two runs to compare.\n  same: 15 of 30\n" in text
    assert (drawn.spreads, drawn.counts["changed"]) == ({}, (15, 30))
    assert "proportion" not in command(golden)[0]
    path = golden.folder / GRADES
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:-1]))
    text = command(golden, "--by", "category", *named(golden))[0]
    assert f"{in_proportion}{golden.folder}: 1 of " in text
    (golden.folder / ADMISSIONS).unlink()
    text, drawn = command(golden, "--by", "category", *named(golden))
    assert "no judge is admitted under the current guideline" in text
    assert drawn.counts == {"same": (15, 30), "changed": (15, 30)}


def test_without_a_label_every_query_is_as_likely(golden):
    """There is one stratum, and nothing to allocate."""
    found = draw_from_golden_set(golden, 30, runs=runs_of(golden))
    assert found.why == "Every query had the same probability."
    assert {*found.probabilities.values()} == {0.5}


def test_chosen_queries_are_labelled_and_correct_no_other(golden, tmp_path):
    """In every interface, they have their own stratum and probability 1; n excludes them."""
    chosen = ("q1", "q59")
    expected = draw_from_golden_set(golden, 30, by="category", runs=runs_of(golden), chosen=chosen)
    assert expected.counts == {"same": (10, 29), CHOSEN: (2, 2), "changed": (20, 29)}
    assert {expected.probabilities[name] for name in chosen} == {1.0}
    assert {*expected.spreads} == {"same", "changed"}
    named_ones = [f"--chosen={name}" for name in chosen]
    assert command(golden, "--by", "category", *named(golden), *named_ones)[1] == expected
    alone = command(golden, *named_ones)[1]
    assert alone.counts == {"all": (30, 58), CHOSEN: (2, 2)}
    with Archive.open(tmp_path / "a.db") as archive:
        fill(archive, golden)
        with TestClient(new_app(archive), base_url="http://localhost:8765") as client:
            wanted = {"n": 30, "by": "category", "chosen": [*chosen]}
            assert client.put("/v1/label-draws/one", json=wanted).status_code == 201
            assert archive.label_draws.get("one").draw == expected
            other = {"n": 30, "chosen": ["lost"]}
            refused = client.put("/v1/label-draws/two", json=other)
            assert (refused.status_code, "'lost'" in refused.text) == (422, True)
