"""How to call components and pipelines of Haystack, which is not imported."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Protocol

from berryeval.errors import AnswerError, ArgumentError, SystemUnderTestError

__all__ = ["Calls", "is_haystack", "open_haystack"]

_QUERIES = ("query", "question", "text")
"""Inputs of a pipeline's components that take the query; the last two if they are required."""


class Calls(Protocol):
    """How to call a retriever, and where the documents are in its answer."""

    method: str | None
    async_method: str | None

    def prepared(self, k: int, *, is_asynchronous: bool) -> Callable[[str], Any]:
        """Return a function that sends a query and requests k documents."""
        ...

    def documents_of(self, answer: object) -> object:
        """Return the documents of an answer."""
        ...


def is_haystack(kind: type) -> bool:
    """Whether objects of a class can be run with a query, as a component or as a pipeline."""
    return _is_pipeline(kind) or any(name.startswith("query") for name in _parameters(kind))


def open_haystack(thing: Any, system: str, component: str | None) -> Calls:  # noqa: ANN401
    """Return how to call a component or a pipeline, after loading its models.

    Raises
    ------
    SystemUnderTestError
        If it takes no query in text, or returns no documents.
    """
    if _is_pipeline(type(thing)):
        found: Calls = _Pipeline(thing, system, component)
    elif component is None:
        found = _Component(thing, system)
    else:
        raise ArgumentError("component", "none, since only pipelines have some", repr(component))
    if callable(getattr(type(thing), "warm_up", None)):
        thing.warm_up()
    return found


class _Component:
    def __init__(self, component: Any, system: str) -> None:  # noqa: ANN401 - of Haystack
        self._component = component
        self._system = system
        self.method, self.async_method = _methods(type(component))
        self._parameters = _parameters(type(component))
        if "query" not in self._parameters:
            wanted = ", ".join(name for name in self._parameters if name != "self")
            way_out = "put it into a Pipeline after a text embedder, and the pipeline under test"
            raise SystemUnderTestError(
                system, f"expected run(query=…), found run({wanted}); {way_out}"
            )

    def prepared(self, k: int, *, is_asynchronous: bool) -> Callable[[str], Any]:
        """Return a function that sends a query and requests k documents."""
        call = getattr(self._component, _chosen(self, is_asynchronous=is_asynchronous))
        given = {"top_k": k} if "top_k" in self._parameters else {}
        return lambda query: call(query=query, **given)

    def documents_of(self, answer: object) -> object:
        """Return the documents of an answer: ``{"documents": […]}``."""
        if not isinstance(answer, Mapping):
            return answer
        if "documents" not in answer:
            keys = ", ".join(map(str, answer)) or "nothing"
            raise AnswerError(self._system, f"expected documents in the answer, got {keys}")
        return answer["documents"]


class _Pipeline:
    def __init__(self, pipeline: Any, system: str, component: str | None) -> None:  # noqa: ANN401
        self._pipeline = pipeline
        self._system = system
        self.method, self.async_method = _methods(type(pipeline))
        inputs: Mapping[str, Mapping[str, Any]] = pipeline.inputs()
        self._queries = [
            (name, socket)
            for name, sockets in inputs.items()
            for socket in _QUERIES
            if socket in sockets
            and (socket == "query" or sockets[socket].get("is_mandatory", True))
        ]
        self._ks = [name for name, sockets in inputs.items() if "top_k" in sockets]
        if not self._queries:
            known = ", ".join(f"{name}.{one}" for name, ones in inputs.items() for one in ones)
            message = f"expected a pipeline with an input called query or text, found {known}"
            raise SystemUnderTestError(system, message)
        self._component = component or self._last()

    def prepared(self, k: int, *, is_asynchronous: bool) -> Callable[[str], Any]:
        """Return a function that sends a query and requests k documents."""
        call = getattr(self._pipeline, _chosen(self, is_asynchronous=is_asynchronous))

        def run(query: str) -> Any:  # noqa: ANN401 - or something to await
            data: dict[str, dict[str, Any]] = {}
            for name, socket in self._queries:
                data.setdefault(name, {})[socket] = query
            for name in self._ks:
                data.setdefault(name, {})["top_k"] = k
            return call(data, include_outputs_from={self._component})

        return run

    def documents_of(self, answer: object) -> object:
        """Return the documents of one component."""
        outputs = answer.get(self._component) if isinstance(answer, Mapping) else None
        if isinstance(outputs, Mapping) and "documents" in outputs:
            return outputs["documents"]
        message = f"expected documents of the component {self._component!r}, got none"
        raise AnswerError(self._system, message)

    def _last(self) -> str:
        """Return the component that ends the pipeline with documents."""
        outputs: Mapping[str, Mapping[str, Any]] = self._pipeline.outputs()
        ends = [name for name, sockets in outputs.items() if "documents" in sockets]
        if len(ends) == 1:
            return ends[0]
        found = f"several ({', '.join(ends)})" if ends else "none"
        way_out = "choose one with the setting component, such as the retriever"
        message = f"expected one component that ends the pipeline with documents, found {found}"
        raise SystemUnderTestError(self._system, f"{message}; {way_out}")


def _chosen(calls: Calls, *, is_asynchronous: bool) -> str:
    name = calls.async_method if is_asynchronous else calls.method
    assert name is not None
    return name


def _methods(kind: type) -> tuple[str | None, str | None]:
    synchronous, asynchronous = (
        name if callable(getattr(kind, name, None)) else None for name in ("run", "run_async")
    )
    return synchronous, asynchronous


def _is_pipeline(kind: type) -> bool:
    has = (callable(getattr(kind, name, None)) for name in ("inputs", "outputs"))
    return all(has) and any(_methods(kind))


def _parameters(kind: type) -> tuple[str, ...]:
    """Return the names of the parameters of ``run``; none if there is no such method."""
    name = next(filter(None, _methods(kind)), None)
    if name is None:
        return ()
    with suppress(TypeError, ValueError):  # a method of an extension may have no signature
        return tuple(inspect.signature(getattr(kind, name)).parameters)
    return ()
