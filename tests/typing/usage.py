"""Code that users write, which mypy must accept."""

from __future__ import annotations

import numpy as np

import berryeval as be
from berryeval import metrics, ranking
from berryeval.core import QueryType, RelevanceJudgment
from berryeval.measures import NDCG, Measure, define_measure, parse_measure, parse_measures


def lists() -> None:
    by_set: float = ranking.recall_at_k(["a", "b"], {"a"}, k=2)
    by_grade: float = ranking.ndcg_at_k(["a", "b"], {"a": 2, "b": 1}, k=2)
    by_record: float = ranking.average_precision([1, 2], [RelevanceJudgment(1, 3)])
    by_tuple_id: float = ranking.reciprocal_rank([("doc", 1)], {("doc", 1): 2.5}, k=3, level=2)
    everything = ranking.compute_all(["a"], {"a"}, ks=(1, 3))
    at_three: float = everything.recall[3]
    means = ranking.mean_metrics([{"retrieved": ["a"], "relevant": {"a"}}])
    mrr: float = means["mrr"]
    print(by_set, by_grade, by_record, by_tuple_id, at_three, mrr)


def arrays(retrieved: metrics.QueryDocArray, relevant: metrics.RelevanceArray) -> None:
    recall: metrics.MetricResult = metrics.recall_at_k(retrieved, relevant, 10)
    precision = metrics.precision_at_k(retrieved, relevant, 10, denominator="k")
    graded = metrics.ndcg(retrieved, relevant, 10, grades=np.ones(relevant.shape))
    everything = metrics.compute_all(retrieved, relevant, (1, 10))
    at_ten: metrics.MetricResult = everything.ndcg[10]
    metrics.validate_inputs(retrieved, relevant, 10)
    print(recall, precision, graded, at_ten, metrics.BACKEND, metrics.PADDING_ID)


def measure_objects() -> None:
    at_ten: Measure = be.nDCG @ 10
    graded = be.P(rel=2) @ 5
    k: int | None = graded.k
    result = be.evaluate({"q": {"a": 1}}, {"q": ["a"]}, [be.AP, at_ten, graded, "RR"])
    print(k, result)


def padding() -> None:
    padding_id: int = metrics.PADDING_ID
    # B2: the constant is Final; mypy reports this line as unused if an assignment is accepted.
    metrics.PADDING_ID = 0  # type: ignore[misc]
    print(padding_id)


def words() -> None:
    label: QueryType | str = QueryType.of("billing")
    measure: Measure = NDCG(k=10)
    score: float = measure.score([0, 1], [1])
    print(label, measure, score, be.__version__, be.ranking.hit_rate_at_k([], set(), 1))


def names() -> None:
    one: Measure = parse_measure("nDCG@10")
    several: tuple[Measure, ...] = parse_measures("official")
    graded: Measure = NDCG(10, gain={1: 3, 2: 9}, rel=1)
    own = define_measure("Mine", lambda grades, judged: grades[0] + judged[0], bounds=(0, 1))
    cut: Measure = own(k=5)
    print(one, several, graded, cut, one.higher_is_better, one.aggregate)


def data(frame: FrameLike) -> None:
    run: be.Run = be.Run.from_frame(frame, duplicates="keep-best")
    judgments = be.Judgments.from_frame(frame, judges="mean")
    result = be.evaluate(frame, run, ["nDCG@10"], judges="max")
    queries: list[be.Query] = be.read_queries("scifact/")
    tags: tuple[str, ...] = queries[0].tags
    documents: be.Documents = be.read_documents("scifact/")
    title: str = documents["d7"].title
    lengths = [document.length for document in be.iter_documents("scifact/")]
    print(judgments, result, tags, title, lengths, be.read_judgments("scifact/", split="dev"))


class FrameLike:
    """A frame of any library."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return requested_schema


def wrong() -> None:
    be.read_judgments("qrels.txt", judges="median")  # type: ignore[arg-type]
    metrics.precision_at_k(None, None, 3, denominator="n")  # type: ignore[arg-type]
    ranking.recall_at_k(["a"], {"a"})  # type: ignore[call-arg]
    NDCG(gain="cubic")  # type: ignore[arg-type]
    NDCG(k="10")  # type: ignore[arg-type]
