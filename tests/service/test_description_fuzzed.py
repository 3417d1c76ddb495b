"""Every route is called with valid and invalid input, generated from its description.

No response may be a server error or missing from the description. There are few examples by
default; `SCHEMATHESIS_EXAMPLES=200` turns this into a soak test.
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
from depth import IS_DEEP
from service.described_routes import PATHS
from service.soak_figures import note
from service_data import fill

EXAMPLES = int(os.environ.get("SCHEMATHESIS_EXAMPLES", "10" if IS_DEEP else "2"))
CASES = [
    (path, method, mode)
    for path, methods in PATHS.items()
    for method, operation in methods.items()
    for mode in GenerationMode
    # Routes that take no input cannot get invalid input.
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
    """Counts of calls and failures, recorded at the end."""
    counted = Counter(requests=0, sequences=0, failures=0)
    yield counted
    operations = {(path, method) for path, method, _mode in CASES}
    note("examples", {"examples": EXAMPLES, "operations": len(operations), **counted})


@pytest.fixture(scope="module")
def schema(tmp_path_factory):
    """The API description of a service with some data."""
    path = tmp_path_factory.mktemp("fuzzed") / "berryeval.db"
    with Archive.open(path) as archive:
        app = create_app(archive, ServiceSettings(allowed_hosts=("testserver",), timeout=600))
        fill(TestClient(app, base_url="http://localhost"))
        yield schemathesis.openapi.from_asgi("/openapi.json", app)


def excluded(case):
    """Return the checks that do not apply to a case.

    A description cannot state which measures exist, or which text is a valid run. Everything in a
    URL or header is text: a number or an object there is valid text, too.
    """
    body = case.meta.components.get(ParameterLocation.BODY)
    if body is not None and body.mode.is_negative:
        return [positive_data_acceptance]
    return [positive_data_acceptance, negative_data_rejection]


@pytest.mark.parametrize(("path", "method", "mode"), CASES)
def test_every_response_matches_the_description(schema, counts, path, method, mode):
    """For any input, the response is documented, has the documented structure, and is not a 5xx."""

    @HOW
    @given(case=schema[path][method].as_strategy(generation_mode=mode))
    def check(case):
        counts["requests"] += 1
        case.call_and_validate(excluded_checks=excluded(case))

    counts["failures"] += 1  # unless determined otherwise
    check()
    counts["failures"] -= 1


def test_no_sequence_of_calls_makes_the_service_fail(schema, counts):
    """Resources created by one call are used by the next, removed, and used again."""
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
        # Data stored by the service may change the next tries: start over then.
        with suppress(FlakyStrategyDefinition):
            Calls.run(settings=how)
            break
    counts["sequences"] = n_tried
    counts["failures"] += len(failures)
    assert not failures
