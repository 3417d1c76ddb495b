"""The rules of a gate: declared once, and the same in every interface."""

import inspect
import json
from dataclasses import fields
from pathlib import Path

import click
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import berryeval as be
from berryeval import ArgumentError, GateRules
from berryeval.cli import main
from berryeval.errors import InputTypeError
from berryeval.evaluation.gate_rules import GUARD_VARIABLES, RULES
from berryeval.evaluation.guard_entries import ENTRY, entry_of, read_guards
from berryeval.evaluation.guards import LatencyGuard, Margin, MarginGuard, ThresholdGuard
from berryeval.measures import parse_measure
from berryeval.service.routes.gates import GateContent, GuardContent
from berryeval.service.verdicts import read_gate
from berryeval.service.workbench.pages.gates.form import SCALARS, form_of, read_form
from berryeval.suite.settings import gate_to_toml, read_settings
from evaluation.gating_cases import compared, decided

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
MEASURES = [
    parse_measure(name) for name in ("RR", "nDCG@10", "AP(rel=2)@100", "nDCG(gain=exp2,rel=2)@5")
]
NAMES = [field.name for field in fields(GateRules) if field.name != "guards"]

measures = st.sampled_from(MEASURES)
slices = st.lists(st.sampled_from(["category", "difficulty", "tag"]), unique=True).map(tuple)
positive = st.floats(min_value=0, exclude_min=True, max_value=1)
margins = st.builds(Margin, positive, st.booleans())
guards = st.one_of(
    st.builds(ThresholdGuard, measures, st.floats(-1, 1), st.booleans(), slices),
    st.builds(MarginGuard, measures, margins, slices),
    st.builds(
        LatencyGuard,
        st.floats(0, 100, exclude_min=True, allow_subnormal=False),
        st.floats(min_value=0, exclude_min=True, allow_infinity=False),
    ),
)


def values(rule):
    """Draw any value that a rule accepts."""
    limits = rule.limits
    kinds = {
        float: st.floats(
            limits.get("gt", 0), min(limits.get("lt", 9), 9), exclude_min=True, exclude_max=True
        ),
        int: st.integers(limits.get("ge"), limits.get("le")),
        bool: st.booleans(),
        str: st.text('abcv.-_/ 019é\\"', min_size=1, max_size=20).filter(str.strip).map(str.strip),
    }
    choices = st.sampled_from([one for one in rule.words if one is not None] or [None])
    found = choices if rule.words else kinds[rule.annotation]
    return st.none() | found if rule.default is None else found


rules = st.builds(
    GateRules,
    guards=st.lists(guards, max_size=4).map(tuple),
    **{rule.name: values(rule) for rule in RULES},
)


@given(rules)
def test_rules_survive_conversion_to_json(found):
    """Values are equal to the last bit."""
    text = json.dumps(found.to_dict())
    assert GateRules.from_dict(json.loads(text)) == found
    assert json.dumps(GateRules.from_dict(json.loads(text)).to_dict()) == text


@given(rules)
def test_rules_survive_conversion_to_toml(tmp_path_factory, found):
    """The written file defines the same gate."""
    text = gate_to_toml(found, "main")
    file = tmp_path_factory.mktemp("gate") / "berryeval.toml"
    file.write_text(text, encoding="utf-8")
    read = read_settings(file).gate
    assert read == found
    assert gate_to_toml(read, "main") == text


@given(rules)
def test_rules_survive_conversion_to_environment_variables(found):
    """Every rule can be set in the environment, as text."""
    texts = {rule.variable: rule.text(getattr(found, rule.name)) for rule in RULES}
    read = GateRules().with_environment(texts)
    for rule in RULES:
        assert getattr(read, rule.name) == getattr(found, rule.name)


def gate_options():
    command = main.get_command(click.Context(main), "gate")
    return {option.name: option for option in command.params if isinstance(option, click.Option)}


def other_value(rule):
    """Return a value other than the default, as JSON."""
    if rule.words:
        return next(one for one in rule.words if one not in (None, rule.default))
    return {bool: True, int: 200, float: 0.25, str: "v1"}[rule.annotation]


@pytest.mark.parametrize("name", NAMES)
def test_every_rule_is_available_in_every_interface(name, tmp_path):
    """One declaration defines TOML, environment, flag, HTTP model, form, page and Python."""
    (rule,) = [rule for rule in RULES if rule.name == name]
    value = other_value(rule)
    guard = {"measure": "RR", "margin": 0.1}
    wanted = GateRules.from_dict({"guards": [guard], name: value})
    assert wanted != GateRules.from_dict({"guards": [guard]})
    file = tmp_path / "berryeval.toml"
    file.write_text(gate_to_toml(wanted), encoding="utf-8")
    assert read_settings(file).gate == wanted
    text = rule.text(rule.plain(getattr(wanted, name)))
    environment = {rule.variable: text, "BERRYEVAL_MARGIN": "RR=0.1"}
    assert GateRules().with_environment(environment) == wanted
    assert gate_options()[name].opts == [f"--{name.replace('_', '-')}"]
    body = GateContent.model_validate({"guards": [guard], name: value})
    assert GateRules.from_dict(body.model_dump(exclude_none=True, exclude={"baseline"})) == wanted
    form = form_of({"guards": [guard], "baseline": "main", name: value})
    assert name in SCALARS
    assert form.texts[name] == text
    assert form.settings[name] == value
    assert rule.label
    assert rule.argument in inspect.signature(be.gate).parameters
    for page in ("settings.md", "environment.md"):
        assert f"`{name}`" in (REFERENCE / page).read_text(encoding="utf-8")


def test_guards_are_available_in_every_interface():
    """They are not a rule: entries, flags, variables and form rows define them."""
    page = (REFERENCE / "settings.md").read_text(encoding="utf-8")
    for rule in ENTRY:
        assert rule.name in GuardContent.model_fields
        assert f"| `{rule.name}` | {rule.help} |" in page
    assert {"at_least", "margin"} <= gate_options().keys()
    for flag, variable in GUARD_VARIABLES.items():
        found = GateRules().with_environment({variable: "RR=0.1 P@5=0.2"})
        assert [entry[flag] for entry in found.to_dict()["guards"]] == [0.1, 0.2]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"alpha": 0.5}, "alpha: expected a number between 0 and 0.5, got 0.5"),
        ({"alpha": True}, "alpha: expected a number between 0 and 0.5, got True"),
        ({"alpha": "0.1"}, "alpha: expected a number between 0 and 0.5, got '0.1'"),
        ({"repeat": 1.5}, "repeat: expected a whole number from 1 to 2147483647, got 1.5"),
        ({"inconclusive": True}, "inconclusive: expected 0 or 1 or 3, got True"),
        ({"inference": None}, "inference: expected 'population' or 'set', got None"),
        ({"allow_other_corpus": 1}, "allow_other_corpus: expected true or false, got 1"),
    ],
)
def test_rules_validate_themselves(values, message):
    """An invalid value causes one line with the valid ones, in every interface."""
    with pytest.raises(ArgumentError) as caught:
        GateRules(**values)
    assert str(caught.value) == message


def test_rules_accept_all_number_types():
    """This includes NumPy numbers; guards must be guards."""
    found = GateRules(alpha=np.float32(0.25), repeat=np.int64(7), max_grade=3)
    assert json.dumps(found.to_dict())
    assert (found.alpha, found.repeat, type(found.max_grade)) == (0.25, 7, float)
    with pytest.raises(InputTypeError, match="guards: expected guards, got str"):
        GateRules(guards=("RR",))


def test_a_gate_takes_rules_and_keyword_arguments():
    """Keyword arguments override `rules=`; unknown names are an error."""
    comparison = compared([3] * 12, [2] * 12)
    guard = MarginGuard(parse_measure("P@5"), Margin(0.05))
    rules = GateRules(guards=(guard,), alpha=0.1, smallest_slice=3)
    found = be.gate(comparison, rules=rules, alpha=0.01)
    assert found.rules == GateRules(guards=(guard,), alpha=0.01, smallest_slice=3)
    assert (found.alpha, found.inference) == (0.01, "population")
    assert decided([3] * 12, [2] * 12, smallest_slice=5).rules.smallest_slice == 5
    for gone in ({"alhpa": 0.1}, {"seed": 3}, {"n_resamples": 200}, {"noise_sd": {"P@5": 0.1}}):
        with pytest.raises(TypeError, match=f"unexpected keyword argument '{next(iter(gone))}'"):
            be.gate(comparison, rules=rules, **gone)
    with pytest.raises(ArgumentError, match="max_grade: expected the comparison's, None, got 3"):
        be.gate(comparison, rules=rules, max_grade=3)


def test_a_share_is_written_as_it_was_read():
    """2.3% is 0.023 to the last bit, and is written as 2.3% again."""
    assert Margin.parse("2.3%").amount == 0.023
    assert Margin.parse("2.3%").to_plain() == "2.3%"
    assert entry_of(LatencyGuard(99.9, 200)) == {"latency": "p99.9", "at_most_ms": 200}
    with pytest.raises(ArgumentError, match="margin: expected a number above 0"):
        Margin.parse("+-1%")


def test_an_entry_that_is_not_a_list_is_rejected():
    """TOML and JSON may contain one."""
    with pytest.raises(ArgumentError, match=r"gate\.guard: expected a list, got 3"):
        read_guards(3)


def test_an_unticked_box_sets_a_rule_to_false():
    """A browser posts nothing for it, so a rule that is true by default could not be unset."""
    from starlette.datastructures import FormData

    form = read_form(FormData([("guard-0-kind", "at_least"), ("guard-0-measure", "RR"),
                               ("guard-0-limit", "0.1")]))  # fmt: skip
    assert form.settings["allow_other_corpus"] is False


def test_a_stored_gate_is_read_without_obsolete_rules():
    """An archive of an earlier version contains them; the form saves the gate without them."""
    today = {"guards": [{"measure": "RR", "margin": 0.1}], "baseline": "main", "alpha": 0.1}
    stored = {**today, "seed": 7, "resamples": 500, "noise": {"RR": 0.1}}
    assert read_gate(stored) == read_gate(today)
    assert form_of(stored).settings == form_of(today).settings
    assert not {"seed", "resamples", "noise"} & form_of(stored).settings.keys()
