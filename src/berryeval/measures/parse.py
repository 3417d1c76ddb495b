"""Parsing measures from text, in all common notations.

::

    ours          nDCG@10  AP(rel=2)@100  nDCG(gain=exp2)@10  RBP(p=0.8)  P@5,10
    trec_eval     ndcg_cut.5,10  ndcg_cut_10  P_5  map  set_F.0.5  official  all_trec
    ir_measures   nDCG(dcg='exp-log2')@10  P(rel=2)@5  IPrec@0.1  SetP(relative=True)
    ranx          ndcg@10-l2  hit_rate@10  mrr@10  r-precision  ndcg_burges@10  rbp.95
    BEIR          NDCG@10  MAP@100  Recall@100  P@5  MRR@10  Accuracy@10  R_cap@10  Hole@10
    MTEB          ndcg_at_10  map_at_100  recall_at_100  mrr_at_10  hit_rate_at_10
    ndeval        alpha-nDCG@10  ERR-IA@20  MAP-IA  strec@10
    recommenders  HR@10  HitRate@10
    Ragas         id_based_context_precision  id_based_context_recall

The case of letters does not matter, except where it distinguishes two readings: trec_eval's
``P``, ``recall`` and ``success`` without a cutoff are several measures, one for each of its
default cutoffs; so are the other names that take cutoffs there. ``SetP``, ``R`` and
``Success`` are one measure each, of the whole ranking.

Names with different meanings in two tools are rejected, with an error that shows both spellings:
``recall`` alone, ``rbp@95``, ``context_precision``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from berryeval.errors import ArgumentError, InputTypeError, MeasureSyntaxError, UnknownMeasureError
from berryeval.measures import _trec_eval
from berryeval.measures._base import Measure, find_measure
from berryeval.measures._literals import Unreadable, read_parameters, split_outside
from berryeval.measures._parameters import JUDGED_ONLY, parameter_names, written
from berryeval.measures.counts import NumRelevantRetrieved, NumRetrieved
from berryeval.measures.precision import Precision
from berryeval.measures.relative_precision import RelativePrecision
from berryeval.measures.set_based import SetF
from berryeval.measures.user_models import ScaledDCG

__all__ = ["parse_measure", "parse_measures", "parse_trec_eval"]

_SHAPE = re.compile(
    r"(?P<name>[^\W_][\w-]*?)(?:\((?P<parameters>.*)\))?(?:@(?P<cutoffs>[^@()]*?))?"
    r"(?:-l(?P<level>\d+(?:\.\d+)?))?",
    re.DOTALL,
)
_NEXT_NUMBER = re.compile(r"[-+]?\.?\d[\d.eE+-]*(?:=[-+]?\.?\d[\d.eE+-]*)?(?=[,\s]|$)")
_NUMBERED = re.compile(r"(?P<name>.*\D|\d)(?P<k>\d+)")

_AT = re.compile(r"(?P<name>[A-Za-z]\w*)_at_(?P<k>\d+)")

_TWO_MEANINGS = (
    (
        re.compile(r"recall"),
        "'recall.5,10,15,20,30,100,200,500,1000' as in trec_eval, or 'SetR' as in ranx",
        "R@100",
    ),
    (
        re.compile(r"rbp@(?P<number>\d+)"),
        "'RBP@{number}' for a cutoff, or 'RBP(p=0.{number})' as in ranx",
        "RBP(p=0.95)@100",
    ),
    (
        re.compile(r"accuracy\([^@]*\)@(?P<number>\d+)", re.IGNORECASE),
        "'Success@{number}', which is Accuracy@{number} in BEIR, or 'PairwiseAccuracy@{number}', "
        "which is Accuracy@{number} in ir_measures",
        "PairwiseAccuracy(rel=2)@10",
    ),
    (
        re.compile(r"context(?:ual)?_?precision(?:@.*)?", re.IGNORECASE),
        "'id_based_context_precision' or 'P@5' for documents by id; a language model judges "
        "context precision in Ragas and DeepEval, which is not available",
        "P@5",
    ),
    (
        re.compile(r"context(?:ual)?_?recall(?:@.*)?", re.IGNORECASE),
        "'id_based_context_recall' or 'R@5' for documents by id; a language model judges "
        "context recall in Ragas and DeepEval, which is not available",
        "R@5",
    ),
    (
        re.compile(r"non_?llm_?context_?(?:precision\w*|recall)(?:@.*)?", re.IGNORECASE),
        "'id_based_context_precision' or 'id_based_context_recall' for documents by id; texts are "
        "compared by the functions of berryeval.measures.contexts",
        "R@5",
    ),
)
"""Names with a meaning in each of two tools, and unambiguous spellings of both."""

_OTHER_NAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "ndcg_burges": ("nDCG", {"gain": "exp2"}),
    "dcg_burges": ("DCG", {"gain": "exp2"}),
    "id_based_context_precision": ("P", {}),
    "idbasedcontextprecision": ("P", {}),
    "id_based_context_recall": ("R", {}),
    "idbasedcontextrecall": ("R", {}),
}
_OF_A_SET = {
    "setp",
    "set_p",
    "setr",
    "set_recall",
    "setrelp",
    "set_relative_p",
    "id_based_context_precision",  # divides by the number retrieved, P@5 by 5
    "idbasedcontextprecision",
}
_OTHER_PARAMETERS = {
    "gains": "gain",
    "max_rel": "max_grade",
    "min_rel": "min_grade",
    "normalize": "normalise",
    "cutoff": "k",
}
_GAIN_OF_DCG = {"log2": "linear", "exp-log2": "exp2"}


def parse_measure(text: str) -> Measure:
    """Read one measure.

    Parameters
    ----------
    text : str
        A measure, as its ``str`` gives it or as other tools write it.

    Raises
    ------
    UnknownMeasureError
        If no measure has that name; the message suggests the nearest one.
    MeasureSyntaxError
        If the text or a parameter cannot be read, or stands for several measures.

    Examples
    --------
    >>> parse_measure("nDCG@10")
    NDCG(k=10, gain='linear', rel=0.0)
    >>> str(parse_measure("ndcg_burges@10"))
    'nDCG(gain=exp2)@10'
    """
    measures = parse_measures(text)
    if len(measures) > 1:
        got = f"{len(measures)} of them"
        raise MeasureSyntaxError(text, "one measure", got, str(measures[0]))
    return measures[0]


def parse_measures(text: str) -> tuple[Measure, ...]:
    """Read several measures, separated by spaces or commas; each is returned once.

    Parameters
    ----------
    text : str
        Measures, lists of cutoffs such as ``ndcg_cut.5,10`` and ``P@5,10``, and trec_eval's
        nicknames ``official``, ``set`` and ``all_trec`` as of version 9.0.8, without the run's
        name and the string of grades, which are not numbers.

    Raises
    ------
    UnknownMeasureError
        If no measure has one of the names; the message suggests the nearest one.
    MeasureSyntaxError
        If the text or a parameter cannot be read.

    Examples
    --------
    >>> [str(measure) for measure in parse_measures("ndcg_cut.5,10 map, P(rel=2)@5")]
    ['nDCG@5', 'nDCG@10', 'AP', 'P(rel=2)@5']
    """
    if not isinstance(text, str):
        raise InputTypeError("text", "a measure such as 'nDCG@10'", type(text).__name__)
    found = dict.fromkeys(measure for word in _words(text) for measure in _read(word))
    if not found:
        raise MeasureSyntaxError(text, "a measure", "nothing", "nDCG@10")
    return tuple(found)


def parse_trec_eval(name: str, parameters: str = "") -> tuple[Measure, ...]:
    """Return the measures that a name means in trec_eval, such as ``recall`` with its defaults.

    Parameters
    ----------
    name : str
        A name of trec_eval that stands for numbers; not ``runid`` or ``relstring``.
    parameters : str
        What follows the name, such as ``5,10``; without it, the defaults of trec_eval.

    Raises
    ------
    MeasureSyntaxError
        If the parameters cannot be read.

    Examples
    --------
    >>> [str(measure) for measure in parse_trec_eval("recall", "5,10")]
    ['R@5', 'R@10']
    """
    word = f"{name}.{parameters}" if parameters else name
    return tuple(_read_trec_eval(word, name, parameters))


def _words(text: str) -> Iterator[str]:
    """Split at spaces and commas, but not within brackets nor before a number of a list."""

    def ends(i: int) -> bool:
        return text[i].isspace() or (text[i] == "," and not _NEXT_NUMBER.match(text, i + 1))

    try:
        yield from filter(None, split_outside(text, ends))
    except Unreadable as error:
        raise MeasureSyntaxError(text, error.expected, error.got, "nDCG(gain=exp2)@10") from None


def _read(word: str) -> Iterator[Measure]:
    if word in _trec_eval.NICKNAMES:
        for name in _trec_eval.NICKNAMES[word]:
            yield from _read_trec_eval(word, name, "")
        return
    _check_meaning(word)
    if (at := _AT.fullmatch(word)) is not None:
        word = f"{at['name']}@{at['k']}"
    split = _trec_eval.split_name(word)
    if split is None:
        yield from _read_ours(word)
    elif split[0] in _trec_eval.TEXTS:
        got = f"{split[0]}, which is text"
        raise MeasureSyntaxError(word, "a measure with one number per query", got, "nDCG@10")
    else:
        yield from _read_trec_eval(word, *split)


def _check_meaning(word: str) -> None:
    """Reject a name that has two meanings."""
    for pattern, meanings, example in _TWO_MEANINGS:
        if (found := pattern.fullmatch(word)) is not None:
            expected = meanings.format(**found.groupdict())
            raise MeasureSyntaxError(word, expected, "a name with two meanings", example)


def _read_trec_eval(word: str, name: str, parameters: str) -> Iterator[Measure]:
    """Read what follows a trec_eval name: cutoffs, gains, weights; or use its defaults."""
    family = _trec_eval.FAMILIES[name]
    measure, parameter = family.measure, family.parameter
    example = _example(measure)
    if not parameters:
        values: list[object] = list(family.defaults)
    elif parameter is None:
        raise MeasureSyntaxError(word, f"nothing after {name!r}", repr(parameters), example)
    elif parameter == "worth":
        values = [[_number(word, part, example) for part in parameters.split(",")]]
    elif parameter == "gain":
        if re.fullmatch(r"\d+", parameters):
            cutoff = f"{measure.name}@{parameters}" if measure.at == "k" else example
            raise MeasureSyntaxError(word, "a gain such as 1=3", repr(parameters), cutoff)
        pairs = [part.partition("=") for part in parameters.split(",")]
        values = [[(_number(word, a, example), _number(word, b, example)) for a, _, b in pairs]]
    elif parameter == "p":
        values = [_patience(word, parameters, example)]
    else:
        values = [_number(word, part, example) for part in parameters.split(",")]
        if parameter == "x" and len(values) > 1:
            raise MeasureSyntaxError(word, "one number", repr(parameters), "set_F.0.5")
    if not values:
        yield measure()
    for value in values:
        assert parameter is not None
        yield _make(word, measure, {parameter: value})


def _patience(word: str, parameters: str, example: str) -> object:
    """Read trec_eval's ``p=0.95``, or ranx's digits after the point."""
    if re.fullmatch(r"\d+", parameters):
        return float(f"0.{parameters}")
    return _number(word, parameters.removeprefix("p="), example)


def _number(word: str, text: str, example: str) -> float:
    try:
        if not re.fullmatch(r"[-+]?\.?\d[\d.eE+-]*", text):
            raise ValueError  # noqa: TRY301 - float() also reads nan, and digits with _
        if re.fullmatch(r"[-+]?\d+", text):
            return int(text)
        number = float(text)
    except ValueError:
        raise MeasureSyntaxError(word, "a number", repr(text), example) from None
    return int(number) if number.is_integer() else number


def _read_ours(word: str) -> Iterator[Measure]:
    shape = _SHAPE.fullmatch(word)
    if shape is None:
        raise MeasureSyntaxError(
            word, "name(parameter=value)@cutoff", repr(word), "nDCG(gain=exp2)@10"
        )
    name = shape["name"]
    canonical, fixed = _OTHER_NAMES.get(name.lower(), (name, {}))
    if name.lower() == "accuracy":  # with a cutoff that of BEIR, without one that of ir_measures
        canonical = "PairwiseAccuracy" if shape["cutoffs"] is None else "Success"
    try:
        measure = find_measure(canonical)
    except UnknownMeasureError as error:
        raise _unknown(word, name, error) from None
    example = _example(measure)
    given = dict(fixed)
    try:
        given |= read_parameters(shape["parameters"] or "")
    except Unreadable as error:
        raise MeasureSyntaxError(word, error.expected, error.got, example) from None
    if shape["level"] is not None:
        given["rel"] = float(shape["level"])
    measure, given = _as_ours(word, measure, given)
    if shape["cutoffs"] is None:
        yield _make(word, measure, given)
        return
    if measure.at is None or name.lower() in _OF_A_SET:
        expected = f"no cutoff, since {name} covers the whole ranking"
        raise MeasureSyntaxError(word, expected, f"@{shape['cutoffs']}", word.partition("@")[0])
    for cutoff in shape["cutoffs"].split(","):
        if not cutoff.startswith(measure.at_prefix):
            expected = f"{measure.at_prefix} and a number, such as {measure.at_example}"
            raise MeasureSyntaxError(word, expected, repr(cutoff), example)
        value = _number(word, cutoff.removeprefix(measure.at_prefix), example)
        yield _make(word, measure, given | {measure.at: value})


def _as_ours(
    word: str, measure: type[Measure], given: dict[str, Any]
) -> tuple[type[Measure], dict[str, Any]]:
    """Translate the names of ir_measures to ours."""
    given = {_OTHER_PARAMETERS.get(key, key): value for key, value in given.items()}
    if "dcg" in given and "gain" in parameter_names(measure):
        discount = given.pop("dcg")
        if discount not in _GAIN_OF_DCG:
            raise MeasureSyntaxError(
                word, "dcg='log2' or dcg='exp-log2'", repr(discount), "nDCG(gain=exp2)@10"
            )
        given.setdefault("gain", _GAIN_OF_DCG[str(discount)])
    if measure is ScaledDCG and given.get("dcg") == "log2":
        del given["dcg"]
    if measure is SetF and "beta" in given:
        given["x"] = given.pop("beta")
    if measure is Precision and given.pop("relative", False) is True:
        measure = RelativePrecision
    if measure is NumRetrieved and "rel" in given:
        measure = NumRelevantRetrieved
    return measure, given


def _make(word: str, measure: type[Measure], given: dict[str, Any]) -> Measure:
    example = _example(measure)
    known = parameter_names(measure)
    for key in given:
        if key not in known:
            allowed = ", ".join(known) or "none"
            raise MeasureSyntaxError(
                word, f"a parameter of {measure.name} ({allowed})", repr(key), example
            )
    try:
        return measure(**given)
    except (ArgumentError, InputTypeError) as error:
        expected = f"for {error.argument} {error.expected}"
        raise MeasureSyntaxError(word, expected, error.got, example) from None


def _example(measure: type[Measure]) -> str:
    """Write the measure with all its parameters."""
    default = measure()
    parameters = [
        f"{name}={written(value)}"
        for name in parameter_names(measure)
        if name not in ("k", measure.at, JUDGED_ONLY)
        and (value := getattr(default, name)) is not None
    ]
    brackets = f"({','.join(parameters)})" if parameters else ""
    if measure.at is None:
        return f"{measure.name}{brackets}"
    return f"{measure.name}{brackets}@{measure.at_example}"


def _unknown(
    word: str, name: str, error: UnknownMeasureError
) -> UnknownMeasureError | MeasureSyntaxError:
    """Return the error for an unknown name, which may be that of a measure of whole runs."""
    from berryeval.measures.run_measures import find_run_measure  # few names are unknown

    of_runs = find_run_measure(name)
    if of_runs is not None:
        got = f"one of {of_runs.scope}, for {of_runs.command or of_runs.function}"
        return MeasureSyntaxError(word, "a measure with a value per query", got, "nDCG@10")
    suggestion, rest = error.suggestion, word[len(name) :]
    numbered = _NUMBERED.fullmatch(name)
    if numbered is not None and "@" not in rest:
        nearest = _nearest(numbered["name"].removesuffix("_"))
        if nearest is None or not nearest[-1].isdigit():  # the number of NERR7 is no cutoff
            suggestion, rest = nearest, f"@{numbered['k']}"
    if suggestion is not None and find_measure(suggestion).at is not None:
        suggestion += rest
    return UnknownMeasureError(word, suggestion, error.known)


def _nearest(name: str) -> str | None:
    try:
        return find_measure(name).name
    except UnknownMeasureError as error:
        return error.suggestion
