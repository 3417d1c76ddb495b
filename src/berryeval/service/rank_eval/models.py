"""Elasticsearch's request for a ranking evaluation, key by key."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from typing import Annotated, Any

from pydantic import Field, model_validator

from berryeval.service.answers import with_examples
from berryeval.service.fields import Body, Id, Label, check_hits
from berryeval.service.rank_eval import metrics
from berryeval.service.rank_eval.metrics import Ratings, Scored
from berryeval.service.rank_eval.search_text import check_parts

__all__ = ["EXAMPLE", "Metrics", "RankEvalRequest", "RatedRequest", "Template"]

MAX_HITS = 10_000
"""Maximum number of hits per request; Elasticsearch's default."""

MAX_REQUESTS = 10_000
"""Requests and templates per call; other routes have the same limit."""

_MAX_FIELDS = 100

_LARGEST_RATING = 1000  # 2^1000 is finite, and so is the sum of ten thousand of them

_K = Annotated[int, Field(ge=1, le=MAX_HITS, description="Number of hits to consider.")]
_Rating = Annotated[int, Field(ge=-_LARGEST_RATING, le=_LARGEST_RATING)]
_Threshold = Annotated[
    int, Field(ge=0, le=_LARGEST_RATING, description="The lowest relevant rating.")
]


EXAMPLE: dict[str, Any] = {
    "templates": [
        {
            "id": "match",
            "template": {"source": '{"query":{"match":{"text":"{{query_string}}"}}}'},
        }
    ],
    "requests": [
        {
            "id": "amsterdam_query",
            "request": {"query": {"match": {"text": "amsterdam"}}},
            "summary_fields": ["title"],
            "ratings": [
                {"_index": "default", "_id": "doc1", "rating": 0},
                {"_index": "default", "_id": "doc2", "rating": 1},
            ],
        },
        {
            "id": "berlin_query",
            "template_id": "match",
            "params": {"query_string": "berlin"},
            "ratings": [{"_index": "default", "_id": "doc1", "rating": 1}],
        },
    ],
    "metric": {"precision": {"k": 10, "relevant_rating_threshold": 1, "ignore_unlabeled": False}},
    "max_concurrent_searches": 10,
}
"""The request of Elasticsearch's documentation."""


class _Metric(Body):
    k: _K = 10

    @abstractmethod
    def score(self, hits: Ratings, rated: list[int]) -> Scored:
        """Return the score of the ratings of the first k hits."""

    def _options(self) -> dict[str, Any]:
        """Return the arguments of its function."""
        return self.model_dump(exclude={"k"})


class Precision(_Metric):
    """The share of hits that are relevant."""

    model_config = with_examples(
        {"k": 10, "relevant_rating_threshold": 1, "ignore_unlabeled": False}
    )

    relevant_rating_threshold: _Threshold = 1
    ignore_unlabeled: bool = Field(default=False, description="Ignore unrated hits.")

    def score(self, hits: Ratings, rated: list[int]) -> Scored:  # noqa: ARG002 - as all
        """Return the precision of the hits."""
        return metrics.precision(hits, **self._options())


class Recall(_Metric):
    """The share of the relevant documents that are among the hits."""

    model_config = with_examples({"k": 10, "relevant_rating_threshold": 1})

    relevant_rating_threshold: _Threshold = 1

    def score(self, hits: Ratings, rated: list[int]) -> Scored:
        """Return the recall of the hits."""
        return metrics.recall(hits, rated, **self._options())


class MeanReciprocalRank(_Metric):
    """1 divided by the rank of the first relevant hit."""

    model_config = with_examples({"k": 10, "relevant_rating_threshold": 1})

    relevant_rating_threshold: _Threshold = 1

    def score(self, hits: Ratings, rated: list[int]) -> Scored:  # noqa: ARG002 - as all
        """Return the reciprocal rank of the hits."""
        return metrics.mean_reciprocal_rank(hits, **self._options())


class DiscountedCumulativeGain(_Metric):
    """The gains of the hits, discounted by rank."""

    model_config = with_examples({"k": 10, "normalize": True})

    normalize: bool = Field(default=False, description="Divide by the gain of the ideal order.")
    unknown_doc_rating: _Rating | None = Field(None, description="The rating of unrated hits.")

    def score(self, hits: Ratings, rated: list[int]) -> Scored:
        """Return the gain of the hits."""
        return metrics.discounted_cumulative_gain(hits, rated, **self._options())


class ExpectedReciprocalRank(_Metric):
    """The expected reciprocal of the rank at which a user is satisfied."""

    model_config = with_examples({"maximum_relevance": 3, "k": 10})

    maximum_relevance: _Threshold = Field(description="The highest rating of the scale.")
    unknown_doc_rating: _Rating | None = Field(None, description="The rating of unrated hits.")

    def score(self, hits: Ratings, rated: list[int]) -> Scored:  # noqa: ARG002 - as all
        """Return the expected reciprocal rank of the hits."""
        return metrics.expected_reciprocal_rank(hits, **self._options())


class Metrics(Body):
    """One metric, as in Elasticsearch, or several at once."""

    model_config = with_examples(
        {"precision": {"k": 10}}, {"dcg": {"normalize": True}, "recall": {"k": 100}}
    )

    precision: Precision | None = None
    recall: Recall | None = None
    mean_reciprocal_rank: MeanReciprocalRank | None = None
    dcg: DiscountedCumulativeGain | None = None
    expected_reciprocal_rank: ExpectedReciprocalRank | None = None

    @property
    def wanted(self) -> dict[str, _Metric]:
        """The requested metrics, by name."""
        found = {name: getattr(self, name) for name in type(self).model_fields}
        return {name: metric for name, metric in found.items() if metric is not None}

    @model_validator(mode="after")
    def _at_least_one(self) -> Metrics:
        if not self.wanted:
            raise ValueError("Cannot evaluate ranking if no evaluation metric is provided.")
        return self


class RatedDocument(Body):
    """The rating of a document for a query."""

    model_config = with_examples(EXAMPLE["requests"][0]["ratings"][1])

    index: str = Field(alias="_index", max_length=1024, description="The store of the document.")
    id: str = Field(alias="_id", max_length=1024)
    rating: _Rating


class RatedRequest(Body):
    """A query with the ratings of its documents.

    It has either a `request`, or a `template_id` and `params` for the template.
    """

    model_config = with_examples(*EXAMPLE["requests"])

    id: Id
    request: dict[str, Any] | None = Field(None, description="A search request with a query.")
    template_id: str | None = None
    params: dict[str, Any] | None = None
    summary_fields: list[Label] = Field(
        default_factory=list,
        max_length=_MAX_FIELDS,
        description="Fields of the hits to return: `title`, `text`.",
    )
    ratings: list[RatedDocument]

    @model_validator(mode="after")
    def _is_one_of_both(self) -> RatedRequest:
        if self.request is not None and (self.params or self.template_id is not None):
            raise ValueError(
                "Ambiguous rated request: Set both, verbatim test request and test request "
                "template parameters."
            )
        if self.request is None and not self.params:
            raise ValueError(
                "Need to set at least test request or test request template parameters."
            )
        if self.params and self.template_id is None:
            raise ValueError(
                "If template parameters are supplied need to set id of template to apply them to "
                "too."
            )
        return self

    @model_validator(mode="after")
    def _has_no_forbidden_part(self) -> RatedRequest:
        check_parts(self.request or {})
        return self

    @model_validator(mode="after")
    def _rates_each_document_once(self) -> RatedRequest:
        seen = set()
        for rated in self.ratings:
            key = (rated.index, rated.id)
            if key in seen:
                shown = f'{{"_index":"{rated.index}","_id":"{rated.id}"}}'
                raise ValueError(
                    f"Found duplicate rated document key [{shown}] in evaluation request "
                    f"[{self.id}]"
                )
            seen.add(key)
        return self


class TemplateSource(Body):
    """A search request with placeholders for parameters."""

    model_config = with_examples(EXAMPLE["templates"][0]["template"])

    source: str | dict[str, Any] = Field(
        examples=['{"query":{"match":{"text":"{{query_string}}"}}}']
    )
    lang: str = Field("mustache", pattern="^mustache$")


class Template(Body):
    """A template by its id."""

    model_config = with_examples(EXAMPLE["templates"][0])

    id: Id
    template: TemplateSource


class RankEvalRequest(Body):
    """Queries, ratings and metrics."""

    model_config = with_examples(EXAMPLE)

    requests: list[RatedRequest] = Field(max_length=MAX_REQUESTS)
    metric: Metrics
    templates: list[Template] = Field(default_factory=list, max_length=MAX_REQUESTS)
    max_concurrent_searches: Annotated[int, Field(ge=1)] = 10

    @model_validator(mode="after")
    def _has_requests(self) -> RankEvalRequest:
        if not self.requests:
            raise ValueError(
                "Cannot evaluate ranking if no search requests with rated results are provided. "
                "Seen: []"
            )
        return self

    @model_validator(mode="after")
    def _names_each_once(self) -> RankEvalRequest:
        for what, ids in (
            ("rated request", [request.id for request in self.requests]),
            ("template", [template.id for template in self.templates]),
        ):
            for one, count in Counter(ids).most_common(1):
                if count > 1:
                    raise ValueError(f"Found duplicate {what} id [{one}]")
        return self

    @model_validator(mode="after")
    def _fits_into_memory(self) -> RankEvalRequest:
        deepest = max(metric.k for metric in self.metric.wanted.values())
        check_hits(len(self.requests), deepest)
        return self

    @model_validator(mode="after")
    def _has_the_templates(self) -> RankEvalRequest:
        known = {template.id for template in self.templates}
        for request in self.requests:
            if request.template_id is not None and request.template_id not in known:
                raise ValueError(
                    "Cannot evaluate ranking if neither template nor evaluation request is "
                    f"provided. Seen for request id: {request.id}, template id: "
                    f"{request.template_id}"
                )
        return self
