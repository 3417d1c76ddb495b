"""Every test says what it needs (X10)."""

KINDS = {"unit", "integration", "quality"}


def kinds_of(item):
    return {marker.name for marker in item.iter_markers()} & KINDS


def test_every_test_has_a_kind(request):
    """X10: unit, integration or quality; and no unit test is another kind besides."""
    for item in request.session.items:
        kinds = kinds_of(item)
        assert kinds, item.nodeid
        assert kinds == {"unit"} or "unit" not in kinds, item.nodeid
    assert kinds_of(request.node) == {"unit"}


def test_what_needs_a_server_is_an_integration_test(pytestconfig, request):
    """X10: whoever asks for the database gets it, and is marked so."""
    for item in request.session.items:
        if "postgres_dsn" in getattr(item, "fixturenames", ()):
            assert "integration" in kinds_of(item), item.nodeid
    declared = {line.partition(":")[0] for line in pytestconfig.getini("markers")}
    assert declared >= KINDS


def test_the_suite_can_be_run_by_itself(pytestconfig):
    """X10: `pytest -m quality` has the golden set on both engines, as .ci/run has."""
    folder = pytestconfig.rootpath / "tests" / "quality"
    assert sorted(path.stem for path in (folder / "baselines").glob("*.json")) == [
        "hybrid",
        "postgres",
    ]
    script = pytestconfig.rootpath / ".ci" / "run"
    if script.exists():  # not in a source distribution
        assert "\nmake quality\n" in script.read_text(encoding="utf-8")
