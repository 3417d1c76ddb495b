"""Search requests with placeholders."""

import pytest

from berryeval.errors import ArgumentError, FormatError
from berryeval.search.systems.opensearch.query_template import QueryTemplate


@pytest.mark.parametrize(
    "place", ["{{query}}", "{{ query }}", "{{queryText}}", "{{query_string}}", "%SearchText%"]
)
def test_the_text_has_several_placeholders(place):
    """BerryEval's and those of other tools work, bare or in quotes."""
    for template in (f'{{"q": "{place}"}}', f'{{"q": {place}}}', {"q": place}):
        assert QueryTemplate(template).fill("sign in", 3) == {"size": 3, "q": "sign in"}


def test_values_are_json():
    """Text stays text, numbers stay numbers, and a vector is a list."""
    template = QueryTemplate(
        '{"a": [{{k}}, "{{k}}", "top {{k}}"], "v": {{vector}}, "q": {{query}}}'
    )
    filled = template.fill('", {{k}} "}', 7, [0.5, 1.0])
    assert filled == {"size": 7, "a": [7, 7, "top 7"], "v": [0.5, 1.0], "q": '", {{k}} "}'}
    assert (template.needs_vector, template.needs_words) == (True, True)


def test_an_explicit_size_is_kept():
    """The size of a template is not replaced by k."""
    assert QueryTemplate({"size": 3, "q": "{{query}}"}).fill("x", 7)["size"] == 3


def test_a_template_is_not_changed_by_filling():
    """The same template can be filled in for the next query."""
    body = {"q": ["{{query}}", None, 1.5, True]}
    template = QueryTemplate(body)
    assert template.fill("a", 1) != template.fill("b", 1)
    assert body == {"q": ["{{query}}", None, 1.5, True]}
    assert str(template) == '{"q": ["{{query}}", null, 1.5, true]}'


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{", "template: expected JSON, got '{'"),
        ('{"a": 1}', "template: expected a placeholder {{query}} or {{vector}}, got none"),
        ('{"a": "{{k}}"}', "template: expected a placeholder"),
        ('{"a": "{{qurey}}"}', "template: expected {{query}}, {{vector}} or {{k}}, got {{qurey}}"),
        ('{"a": "x {{vector}}"}', "template: expected {{vector}} alone, got it within 'x"),
        ('{"{{query}}": 1}', "template: expected placeholders in values, got one in the key"),
        ([1], "template: expected a JSON object, got list"),
    ],
)
def test_placeholders_that_cannot_be_filled_in_are_rejected(template, message):
    """The error is raised when the template is parsed, not at the first query."""
    with pytest.raises(ArgumentError, match=message.replace("{", r"\{")):
        QueryTemplate(template)


@pytest.mark.parametrize(
    ("content", "message"), [(b"{", r"expected JSON \("), (b"\xff", "expected JSON in UTF-8")]
)
def test_a_file_that_cannot_be_read_is_named(tmp_path, content, message):
    """The message contains the reason."""
    path = tmp_path / "query.json"
    with pytest.raises(FormatError, match=r"query\.json: cannot be read: No such file"):
        QueryTemplate(str(path))
    path.write_bytes(content)
    with pytest.raises(FormatError, match=rf"query\.json: {message}"):
        QueryTemplate(str(path))
