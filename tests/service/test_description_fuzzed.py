"""Every route is called with what its description allows, and with what it does not.

No answer may be a failure of the server, or one that the description does not have. There are few
examples by default; `SCHEMATHESIS_EXAMPLES=200` makes a soak of it.
"""

import os
from collections import Counter
from contextlib import suppress

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import FlakyStrategyDefinition
from schemathesis import GenerationMode
from schemathesis.core.parameters import ParameterLocation
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance
from starlette.testclient import TestClient

from berryeval.archive import Archive
from berryeval.service import ServiceSettings, create_app
from berryeval.service.app import describe
from service.soak_figures import note
from service_data import fill

EXAMPLES = int(os.environ.get("SCHEMATHESIS_EXAMPLES", "3"))
CASES = [
    (path, method, mode)
    for path, methods in describe()["paths"].items()
    for method, operation in methods.items()
    for mode in GenerationMode
    # Where nothing can be sent, nothing wrong can be.
    if mode is GenerationMode.POSITIVE or operation.keys() & {"parameters", "requestBody"}
]
HOW = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def counts():
    """What was tried, and what failed; noted when all is done."""
    counted = Counter(requests=0, sequences=0, failures=0)
    yield counted
    operations = {(path, method) for path, method, _mode in CASES}
    note("examples", {"examples": EXAMPLES, "operations": len(operations), **counted})


@pytest.fixture(scope="module")
def schema(tmp_path_factory):
    """The description of a service that has some data."""
    path = tmp_path_factory.mktemp("fuzzed") / "berryeval.db"
    with Archive.open(path) as archive:
        app = create_app(archive, ServiceSettings(allowed_hosts=("testserver",), timeout=600))
        fill(TestClient(app, base_url="http://localhost"))
        yield schemathesis.openapi.from_asgi("/openapi.json", app)


def excluded(case):
    """Return the checks that make no sense for a case.

    A description cannot tell which measures there are, or which text is a run. In an address and
    in headers everything is text: what was a number or an object there is a good text, too.
    """
    body = case.meta.components.get(ParameterLocation.BODY)
    if body is not None and body.mode.is_negative:
        return [positive_data_acceptance]
    return [positive_data_acceptance, negative_data_rejection]


@pytest.mark.parametrize(("path", "method", "mode"), CASES)
def test_every_answer_is_one_that_the_description_has(schema, counts, path, method, mode):
    """Whatever comes, the answer is documented, of the documented shape, and no 5xx."""

    @HOW
    @given(case=schema[path][method].as_strategy(generation_mode=mode))
    def check(case):
        counts["requests"] += 1
        case.call_and_validate(excluded_checks=excluded(case))

    counts["failures"] += 1  # until it is known better
    check()
    counts["failures"] -= 1


def test_no_sequence_of_calls_makes_the_service_fail(schema, counts):
    """What one call made is used by the next, removed, and used again."""
    failures = []
    n_tried = 0

    class Calls(schema.as_state_machine()):
        def setup(self):
            nonlocal n_tried
            n_tried += 1

        def validate_response(self, response, case, **_more):
            try:
                case.validate_response(response, excluded_checks=excluded(case))
            except BaseException as failure:
                failures.append(failure)
                raise
            finally:
                counts["requests"] += 1

    while n_tried < EXAMPLES and not failures:
        how = settings(HOW, max_examples=EXAMPLES - n_tried, stateful_step_count=10)
        # What the service has remembered since may change what is tried: begin anew then.
        with suppress(FlakyStrategyDefinition):
            Calls.run(settings=how)
            break
    counts["sequences"] = n_tried
    counts["failures"] += len(failures)
    assert not failures
