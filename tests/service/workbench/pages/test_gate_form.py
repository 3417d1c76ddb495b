"""A gate as a form: its input, its meaning, and its errors."""

import pytest
from starlette.datastructures import FormData

from berryeval.service.routes.gates import MAX_GUARDS
from berryeval.service.verdicts import read_gate
from berryeval.service.workbench.pages.gates.form import form_of, read_form
from berryeval.suite.settings import gate_to_toml, read_settings

WHOLE = {
    "guards": [
        {"measure": "RR@10", "at_least": 0.7, "confident": True},
        {"measure": "nDCG@10", "margin": "2%", "slices": ["category", "tag"]},
        {"measure": "P@5", "margin": 0.03},
        {"latency": "p95", "at_most_ms": 250.0},
    ],
    "baseline": "main",
    "alpha": 0.1,
    "inconclusive": 0,
    "max_failed": 2,
    "repeat": 3,
    "inference": "set",
    "holes": "inconclusive",
    "smallest_slice": 30,
    "pool_depth": 10,
    "max_grade": 3.0,
    "n_max": 400,
    "reserve": 0.3,
    "reserve_salt": "spring",
    "openings": 4,
    "anchor": "v1.4",
    "judged_only": True,
    "allow_other_corpus": True,
}


def posted(**texts):
    """Return a form as posted by a browser: one guard, and other given fields."""
    given = {
        "guard-0-kind": "margin",
        "guard-0-measure": "nDCG@10",
        "guard-0-limit": "0.02",
        "baseline": "main",
        **{
            key.replace("_of_guard", "").replace("guard0_", "guard-0-"): v
            for key, v in texts.items()
        },
    }
    return FormData([(key, text) for key, text in given.items() if text is not None])


def test_a_stored_gate_is_read_from_its_own_form():
    """Every setting of the API is unchanged."""
    assert form_of(WHOLE).settings == WHOLE


def test_a_guard_with_two_limits_becomes_two_equivalent_rows():
    """`at_least` and `margin` may share an entry; rows have one limit each."""
    both = {"guards": [{"measure": "RR", "at_least": 0.5, "margin": 0.1}], "baseline": "main"}
    form = form_of(both)
    assert [(row.kind, row.limit) for row in form.rows] == [("at_least", "0.5"), ("margin", "0.1")]
    assert read_gate(form.settings) == read_gate(both)


@pytest.mark.parametrize(
    ("field", "text", "place", "message"),
    [
        ("guard0_measure", "ndgc@10", "measure", "did you mean"),
        ("guard0_measure", "", "measure", "measure"),
        ("guard0_limit", "-1", "limit", "above 0"),
        ("guard0_limit", "2", "limit", "at most 1"),
        ("guard0_limit", "", "limit", "found nothing"),
        ("guard0_limit", "nan", "limit", "a number above 0"),
    ],
)
def test_an_invalid_guard_is_explained_next_to_its_field(field, text, place, message):
    """The input stays in the form, and nothing is stored."""
    form = read_form(posted(**{field: text}))
    assert form.settings is None
    (row,) = form.rows
    assert message in row.messages[place]
    assert form.n_faults == 1
    assert form.first_fault == f"guard 1: {row.messages[place]}"
    assert getattr(row, place) == text


@pytest.mark.parametrize(
    ("field", "text", "message"),
    [
        ("alpha", "0.7", "between 0 and 0.5"),
        ("alpha", "five", "between 0 and 0.5"),
        ("max_failed", "-3", "a whole number from 0"),
        ("max_failed", "9" * 9, None),
        ("repeat", "0", "a whole number from 1"),
        ("smallest_slice", "many", "from 1"),
        ("pool_depth", "1.5", "from 1"),
        ("max_grade", "-1", "above 0"),
        ("max_grade", "x", "above 0"),
        ("inference", "guess", "'population' or 'set'"),
        ("holes", "ignore", "'report' or 'inconclusive'"),
        ("baseline", "", "a guard has a margin"),
        ("baseline", "no such name", "pattern"),
    ],
)
def test_an_invalid_field_is_explained(field, text, message):
    """The limits are those of the API."""
    form = read_form(posted(**{field: text}))
    if message is None:
        assert form.settings is not None
    else:
        assert message in form.messages[field]
        assert form.texts[field] == text
        assert form.first_fault == form.messages[field]


def test_latency_is_a_percentile_and_milliseconds():
    """95 means p95; anything else, and slices, are rejected."""
    kind = {"guard0_kind": "latency", "baseline": ""}
    form = read_form(posted(**kind, guard0_measure="95", guard0_limit="200"))
    assert form.settings["guards"] == [{"latency": "p95", "at_most_ms": 200.0}]
    wrong = read_form(posted(**kind, guard0_measure="fast", guard0_limit="200"))
    assert "p95" in wrong.rows[0].messages["measure"]
    slow = read_form(posted(**kind, guard0_measure="p95", guard0_limit="inf"))
    assert "milliseconds" in slow.rows[0].messages["limit"]
    sliced = read_form(
        posted(**kind, guard0_measure="p95", guard0_limit="2", guard0_slices="category")
    )
    assert "slices" in sliced.rows[0].messages


def test_a_guard_of_an_unknown_kind_is_rejected():
    """A threshold of 0.7 that became a margin of 0.7 would let everything pass."""
    form = read_form(posted(guard0_kind="at least", guard0_limit="0.7"))
    assert form.settings is None
    assert "found 'at least'" in form.rows[0].messages["kind"]


def test_too_many_guards_are_rejected():
    """None is dropped silently."""
    guards = [
        (f"guard-{number}-{field}", text)
        for number in range(MAX_GUARDS + 1)
        for field, text in (("kind", "at_least"), ("measure", "RR"), ("limit", f"0.{number:03}1"))
    ]
    form = read_form(FormData(guards))
    assert form.settings is None
    assert str(MAX_GUARDS) in form.messages["guards"]


def test_empty_rows_are_left_out():
    """If all rows are empty, it is an error: a gate needs a guard."""
    given = FormData(
        [*posted().multi_items(), ("guard-7-kind", "at_least"), ("guard-7-measure", " ")]
    )
    form = read_form(given)
    assert len(form.rows) == 2
    assert len(form.settings["guards"]) == 1
    empty = read_form(FormData([("guard-0-measure", "")]))
    assert "at least one guard" in empty.messages["guards"]
    assert empty.first_fault == empty.messages["guards"]


@pytest.mark.parametrize(
    "settings",
    [
        WHOLE,
        {"guards": [{"measure": "RR", "at_least": 1e-7}]},
        {"guards": [{"measure": "RR", "margin": 0.1}], "baseline": "main", "holes": "report"},
    ],
)
def test_the_command_line_reads_the_same_gate_from_the_toml(settings, tmp_path):
    """The lines to copy define the same gate: guards, rules, scale and pool depth."""
    file = tmp_path / "berryeval.toml"
    rules = read_gate(settings)
    file.write_text(gate_to_toml(rules, settings.get("baseline")), encoding="utf-8")
    found = read_settings(file)
    assert found.gate == rules
    assert (found.baseline is None) == ("baseline" not in settings)
