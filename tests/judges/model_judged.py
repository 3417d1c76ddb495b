"""A golden set that people and an admitted judge have graded, and the archive of it."""

from berryeval.archive import RunFacts
from berryeval.core.run import Run
from berryeval.evaluation.label_draw import draw_labels
from berryeval.formats import read_run, write_run
from berryeval.golden.reading import read_golden_set
from berryeval.judges.function import FunctionJudge
from berryeval.reports.judge_check import check_as_dict
from berryeval.suite.golden_archive import import_golden_set
from berryeval.suite.judge_check import ask_sample, draw_sample, store_check
from berryeval.suite.judged_pairs import find_pool
from berryeval.suite.judging import judge_pool, plan_pool
from judges.chat_server import chance
from judges.judged_set import document_text, query_text, truth, write_judged_set

N_QUERIES = 60
N_LABELLED = 50
K = 6
"""Number of documents per query in a run."""
RESTS = r"Rests on 300 human and 4\d\d model judgments\."
NAME = "errant"


def grade(query, document):
    """Return the grade of people, but every fourth document gets one more or less."""
    lucky = chance("errs", query, document)
    return min(3, max(0, truth(query, document) + (lucky < 0.15) - (lucky > 0.9)))


def judge_of(name=NAME, version="1"):
    """Return a judge that errs, and cannot judge one document."""

    def judge(query, _intent, document, *_):
        if document.doc_id == "d0-0" and name != NAME:
            return None
        return {"grade": grade(query.text, document.text), "reason": "as told", "confidence": 0.9}

    return FunctionJudge(judge, name, fingerprint={"version": version})


def _run(stem, noise):
    """Return a run: the first K documents of each query by their grades, with noise."""

    def score(number, place):
        return truth(query_text(number), document_text(number, place)) + noise * chance(
            stem, str(number), str(place)
        )

    def ranking(number):
        places = sorted(range(8), key=lambda place: -score(number, place))
        return [f"d{number}-{place}" for place in places[:K]]

    return Run.from_lists({f"q{number}": ranking(number) for number in range(N_QUERIES)})


def write_model_judged(folder, *, name=NAME, is_checked=True):
    """Write a golden set and two runs, and have a judge grade it; return the set."""
    golden = read_golden_set(write_judged_set(folder, N_QUERIES))
    for stem, noise in (("old", 6.0), ("new", 3.0)):
        write_run(_run(stem, noise), folder.parent / f"{stem}.run")
    runs = {stem: read_run(folder.parent / f"{stem}.run") for stem in ("old", "new")}
    judge = judge_of(name)
    if is_checked:
        found = ask_sample(golden, judge, draw_sample(golden, runs, n=250))
        assert found.admission.is_admitted, found.admission.reasons
        store_check(golden, found, check_as_dict(found))
    judge_pool(golden, judge, plan_pool(golden, judge, find_pool(golden, runs, "all").pairs))
    return golden


def fill(archive, golden):
    """Store the set, its runs and a draw in an archive; return the ids of the runs, old first."""
    import_golden_set(archive, golden)
    draw = draw_labels([query.query_id for query in golden.queries], N_LABELLED)
    archive.label_draws.put("first", draw, created_by="ada")
    stored = [
        archive.runs.put(read_run(golden.folder.parent / f"{stem}.run"), RunFacts(stem))
        for stem in ("old", "new")
    ]
    return [one.run_id for one in stored]
