"""Every test has a marker for what it requires (X10)."""

KINDS = {"unit", "integration", "quality"}


def kinds_of(item):
    return {marker.name for marker in item.iter_markers()} & KINDS


def test_every_test_has_a_kind(request):
    """X10: it is unit, integration or quality, and unit tests have no other kind."""
    for item in request.session.items:
        kinds = kinds_of(item)
        assert kinds, item.nodeid
        assert kinds == {"unit"} or "unit" not in kinds, item.nodeid
    assert kinds_of(request.node) == {"unit"}


def test_tests_with_a_server_are_integration_tests(pytestconfig, request):
    """X10: tests that use the database fixture are marked."""
    for item in request.session.items:
        if "postgres_dsn" in getattr(item, "fixturenames", ()):
            assert "integration" in kinds_of(item), item.nodeid
    declared = {line.partition(":")[0] for line in pytestconfig.getini("markers")}
    assert declared >= KINDS


def test_the_quality_suite_can_be_run_alone(pytestconfig):
    """X10: `pytest -m quality` has the golden set on both engines, like .ci/run."""
    folder = pytestconfig.rootpath / "tests" / "quality"
    assert sorted(path.stem for path in (folder / "baselines").glob("*.json")) == [
        "hybrid",
        "postgres",
    ]
    script = pytestconfig.rootpath / ".ci" / "run"
    if script.exists():  # not in a source distribution
        assert " make quality" in script.read_text(encoding="utf-8")
