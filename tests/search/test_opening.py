"""Opening systems by name."""

import sys

import pytest

from berryeval.core import Query
from berryeval.errors import ArgumentError, SystemUnderTestError
from berryeval.search.collect import collect
from berryeval.search.opening import SETTINGS, kind_of, open_system
from berryeval.search.systems.embedded import Embedded
from berryeval.search.systems.function import Function
from berryeval.search.systems.http import Http
from berryeval.search.systems.replay import Replay


def test_the_embedded_engine_is_named_by_its_modes():
    """Settings are passed as text."""
    system = open_system("hybrid", {"weights": "1,0.5", "constant": "10", "approximate": "no"})
    assert isinstance(system, Embedded)
    assert (system.mode, system.settings.weights, system.constant) == ("hybrid", (1.0, 0.5), 10.0)
    assert open_system("vector", {"approximate": "yes"}).approximate is True


def test_addresses_files_and_functions_are_distinguished(tmp_path):
    """The part before the colon decides."""
    path = tmp_path / "a.run"
    path.write_text("q1 Q0 d1 1 2.5 x\n")
    http = open_system("http://h/{query}", {"ids": "[*]"}, headers={"X": "y"})
    assert isinstance(http, Http)
    assert (http.ids, http.headers) == ("[*]", {"X": "y"})
    replay = open_system(f"replay:{path}", queries=[Query("q1", "oauth")])
    assert isinstance(replay, Replay)
    assert replay.search("oauth", 5) == [("d1", 2.5)]
    assert isinstance(open_system("textwrap:wrap"), Function)


@pytest.mark.parametrize(
    ("place", "settings", "message"),
    [
        ("bm52", {}, r"system: expected bm25, vector, hybrid.*; did you mean 'bm25'\?"),
        ("bm25", {"x": "1"}, "setting: expected one of embedded's"),
        ("json:dumps", {"x": "1"}, r"setting: expected one of function's \(asynchronous, comp"),
        ("hybrid", {"weights": "a,b"}, "setting weights: expected two numbers such as 1,0.5"),
        ("hybrid", {"weights": "1"}, "weights: expected two numbers of at least 0"),
        ("hybrid", {"constant": "x"}, "setting constant: expected a number, got 'x'"),
        ("vector", {"approximate": "x"}, "setting approximate: expected yes or no, got 'x'"),
    ],
)
def test_an_unknown_system_or_setting_is_reported(place, settings, message):
    """The message lists what is known."""
    with pytest.raises(ArgumentError, match=message):
        open_system(place, settings)


@pytest.mark.parametrize("kind", ["mysql:", "elastic:https:"])
def test_an_address_of_an_unknown_kind_is_shown_without_its_password(kind):
    """It is not imported as a module; the message lists what is known."""
    with pytest.raises(
        ArgumentError, match=f"system: expected bm25.*, got '{kind}//h/i'"
    ) as caught:
        open_system(f"{kind}//me:s3cret@h/i")
    assert "s3cret" not in str(caught.value)


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Install a third-party distribution as pip does: a module and its metadata."""
    (tmp_path / "acme_search.py").write_text(
        "class Acme:\n"
        "    def __init__(self, place, region='eu'):\n"
        "        if place == 'down':\n"
        "            raise ConnectionRefusedError('nobody there')\n"
        "        self.place, self.region = place, region\n"
        "        self.name = f'acme {place}'\n"
        "    async def search(self, query, k):\n"
        "        return [(f'{self.place}/{self.region}/{query}', 1.0)]\n"
        "def broken(place):\n"
        "    return 7\n"
    )
    metadata = tmp_path / "acme_search-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-search\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[berryeval.systems]\n"
        "acme = acme_search:Acme\n"
        "broken = acme_search:broken\n"
        "missing = acme_search:Missing\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    sys.modules.pop("acme_search", None)  # another test's module of the same name
    yield
    sys.modules.pop("acme_search", None)


@pytest.mark.usefixtures("package")
class TestPackages:
    """Systems that other packages register with an entry point."""

    def test_registered_systems_are_opened_by_name(self):
        """The text after the colon and the settings are passed on."""
        system = open_system("acme:products", {"region": "us"})
        assert system.name == "acme products"
        assert system.search("x", 1) == [("products/us/x", 1.0)]
        assert open_system("acme").search("x", 1) == [("/eu/x", 1.0)]

    def test_registered_systems_work_on_the_command_line(self):
        """The command writes a run."""
        assert not collect(open_system("acme:products"), [Query("q1", "x")]).failures

    @pytest.mark.parametrize(
        ("place", "settings", "message"),
        [
            ("acme:x", {"zone": "1"}, r"setting: expected one of acme's, got zone \(got an unexp"),
            (
                "missing:x",
                {},
                "system: expected a package that provides 'missing', got acme_search",
            ),
            ("bm52", {}, r"replay:FILE, acme, broken, missing or module:function, got 'bm52'"),
        ],
    )
    def test_errors_of_a_package_are_reported(self, place, settings, message):
        """The message names the package."""
        with pytest.raises(ArgumentError, match=message):
            open_system(place, settings)

    def test_a_registered_object_must_have_search(self):
        """Any other object is rejected."""
        with pytest.raises(
            SystemUnderTestError, match="expected a function of a query, an object with a method"
        ):
            open_system("broken:x")

    def test_a_failing_constructor_is_an_error_of_the_system(self):
        """It causes one line and an exit code, not a traceback."""
        with pytest.raises(
            SystemUnderTestError, match="acme: ConnectionRefusedError: nobody there"
        ):
            open_system("acme:down")


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        ("hybrid", "embedded"),
        ("postgres-bm25", "postgres"),
        ("postgresql://me@here/db", "postgres"),
        ("https://search.example/q", "http"),
        ("elasticsearch:http://here", "opensearch"),
        ("replay:bm25.run", "replay"),
        ("package.module:function", "function"),
        ("ftp://here", None),
        ("nothing", None),
    ],
)
def test_kind_of_matches_the_system_that_is_opened(place, kind):
    """Settings are checked by kind before anything is opened."""
    assert kind_of(place) == kind
    assert kind is None or kind in SETTINGS


CLASSES = """
class Retrieves:
    def retrieve(self, query, top_k=4):
        return [f"d{i}" for i in range(top_k)]

class Legacy:
    def get_relevant_documents(self, query):
        return [{"id": "d1"}]

class Asks:
    def query(self, text, n=3):
        return [f"d{i}" for i in range(n)]

class Called:
    def __call__(self, query):
        return ["d1", "d2"]

class Looks:
    def look_up(self, words):
        return ["d3"]

class Wanting:
    def __init__(self, path): ...
    def search(self, query): ...

engine = Looks()
called = Called()
"""


class TestObjects:
    """Objects and methods of a user's module."""

    @pytest.fixture(autouse=True)
    def module(self, tmp_path, monkeypatch):
        (tmp_path / "own_classes.py").write_text(CLASSES)
        monkeypatch.syspath_prepend(tmp_path)

    @pytest.mark.parametrize(
        ("name", "found"),
        [
            ("Retrieves", ["d0", "d1"]),
            ("Legacy", ["d1"]),
            ("Asks", ["d0", "d1"]),
            ("Called", ["d1", "d2"]),
            ("called", ["d1", "d2"]),
            ("engine.look_up", ["d3"]),
            ("Looks.look_up", ["d3"]),
        ],
    )
    def test_are_called_in_their_own_way(self, name, found):
        """By a usual method, by the object itself, or by the method that is named."""
        with open_system(f"own_classes:{name}") as system:
            assert [hit.doc_id for hit in system.search("oauth", 2)] == found

    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("engine", "got an object of type Looks; name its method, .* own_classes:engine.look"),
            ("Wanting", r"requires \(path\); name an object of it, or a function without"),
            ("Wanting.search", r"own_classes:Wanting: expected a class .* requires \(path\)"),
        ],
    )
    def test_that_cannot_be_called_say_what_to_name(self, name, message):
        """The way out is in the same line."""
        with pytest.raises(ArgumentError, match=message):
            open_system(f"own_classes:{name}")
