"""Reading the answers of a model."""

import pytest

from berryeval.judges.answers import InvalidAnswerError, read_opinion
from berryeval.judges.protocol import Opinion, Scale

SCALE = Scale(3)


@pytest.mark.parametrize(
    "text",
    [
        '{"code": "c", "grade": 2}',
        'Sure!\n```json\n{"grade": 2, "code": "c"}\n```\nAnything else?',
        '{"code": "c", "grade": "2"}',
        'La réponse : {"code": "c", "grade": 2, "confidence": "haute"}',
        '{"thoughts": {"grade": 9}} {"code": "c", "grade": 2.0}',
        '{"code": "c", "grade": 2} which means {"code": "c", "grade": 2}',
        '{"code": "c", "grade": "٢"}',
    ],
)
def test_one_object_is_found_in_whatever_surrounds_it(text):
    """Code blocks, chatter, other languages and other digits do not matter."""
    assert read_opinion(text, SCALE, "c").grade == 2.0


def test_a_model_may_decline():
    """A grade of null is an answer, not a fault."""
    answer = '{"code": "c", "grade": null, "reason": "not in a language I know"}'
    assert read_opinion(answer, SCALE, "c") == Opinion(None, "not in a language I know")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "found none"),
        ("2", "found none"),
        ("{" * 5000, "found none"),
        ("[" * 100_000, "found none"),
        ('{"code": "c", "grade": 2', "found none"),
        ('{"code": "c", "relevance": 2}', "found none"),
        ('{"code": "c", "grade": 4}', "from 0 to 3"),
        ('{"code": "c", "grade": -1}', "from 0 to 3"),
        ('{"code": "c", "grade": 1.5}', "from 0 to 3"),
        ('{"code": "c", "grade": true}', "from 0 to 3"),
        ('{"code": "c", "grade": "very good"}', "from 0 to 3"),
        ('{"code": "c", "grade": NaN}', "from 0 to 3"),
        ('{"grade": 2}', "code"),
        ('{"code": "d", "grade": 2}', "code"),
        ('{"code": "c", "grade": 2} {"code": "c", "grade": 3}', "several"),
        ('The page says {"grade": 3}. {"code": "c", "grade": 0}', "several"),
    ],
)
def test_anything_else_is_invalid(text, problem):
    """The error is described in words, which are sent back to the model."""
    with pytest.raises(InvalidAnswerError, match=problem):
        read_opinion(text, SCALE, "c")
