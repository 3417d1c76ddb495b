"""Every package that is installed here has its hash in constraints.txt."""

import hashlib
import importlib.metadata
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
APART = {
    "peers",
    "frameworks",
    "spark",
}  # installed apart: their versions would change those of the tools


def locked(name: str) -> dict[str, tuple[Requirement, list[str]]]:
    """Return the requirements of a lock file by their text, with their hashes."""
    text = (ROOT / name).read_text(encoding="utf-8").replace("\\\n", " ")
    found = {}
    for line in text.splitlines():
        requirement, *hashes = line.split("--hash=")
        found[requirement.strip()] = Requirement(requirement), [each.strip() for each in hashes]
    return found


LOCK = locked("constraints.txt")


@pytest.mark.parametrize(
    "name",
    [
        "constraints.txt",
        "requirements-installers.txt",
        "requirements-frameworks.txt",
        "requirements-spark.txt",
    ],
)
def test_every_requirement_has_one_version_and_its_hashes(name):
    """A lock file has nothing else, and no address of a registry."""
    for text, (requirement, hashes) in locked(name).items():
        assert re.fullmatch(r"==[^*,]+", str(requirement.specifier)), text
        assert hashes, text
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", each) for each in hashes), text
        assert requirement.url is None


def test_installers_come_in_the_versions_of_the_other_file():
    """The pip that comes with Python reads hashes only from a requirements file."""
    installers = locked("requirements-installers.txt")
    assert {each.name for each, _ in installers.values()} == {"pip", "uv"}
    assert installers.items() <= LOCK.items()


@pytest.mark.parametrize("group", ["frameworks", "spark"])
def test_what_is_installed_apart_is_locked(group):
    """`make frameworks` and `make spark` install what pyproject.toml names."""
    names = {
        canonicalize_name(each.name) for each, _ in locked(f"requirements-{group}.txt").values()
    }
    wanted = map(Requirement, PROJECT["dependency-groups"][group])
    assert names >= {canonicalize_name(each.name) for each in wanted}


def wanted() -> dict[str, list[str]]:
    """Return what pyproject.toml and constraints.in require, by the place that requires it."""
    project, groups = PROJECT["project"], PROJECT["dependency-groups"]
    lines = (ROOT / "constraints.in").read_text(encoding="utf-8").splitlines()
    return {
        "build-system": PROJECT["build-system"]["requires"],
        "dependencies": project["dependencies"],
        "constraints.in": [line for line in lines if not line.startswith("#")],
        **{f"extra {name}": each for name, each in project["optional-dependencies"].items()},
        **{
            f"group {name}": [each for each in group if isinstance(each, str)]
            for name, group in groups.items()
            if name not in APART
        },
    }


@pytest.mark.parametrize(("place", "texts"), wanted().items(), ids=wanted())
def test_the_lock_covers_every_requirement(place, texts):
    """A new dependency fails here until `make constraints` has locked it."""
    for requirement in map(Requirement, texts):
        name = canonicalize_name(requirement.name)
        versions = [
            str(one.specifier).removeprefix("==")
            for one, _ in LOCK.values()
            if canonicalize_name(one.name) == name
        ]
        assert name == "berryeval" or any(map(requirement.specifier.contains, versions)), (
            f"{place}: {requirement} is not in constraints.txt; run make constraints"
        )


# The installs without hashes, each with its reason.
WITHOUT_HASHES = {
    "pip install --quiet --python .cache/peers/bin/python --group peers": "apart",
    '-m pip install "$PACKAGE" ${REQUIREMENTS:+--requirement "$REQUIREMENTS"}': "in the user's job",
    '-m pip install --find-links dist "berryeval==$VERSION"': "as users install it",
    '-m pip install --find-links dist "berryeval[all]==$VERSION"': "as users install it",
    "-m cibuildwheel --output-dir wheelhouse": "builds in environments with pins of its own",
}
SCRIPTS = [
    ROOT / "Makefile",
    ROOT / "action.yml",
    *sorted((ROOT / ".github" / "workflows").glob("*.yml")),
    *sorted((ROOT / "scripts").glob("*.sh")),
    *sorted((ROOT / "deploy").glob("*.sh")),
    *sorted((ROOT / ".ci").iterdir()),
]


def installs(path: Path) -> list[str]:
    """Return the commands of a file that install packages, without the program before them."""
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    settings = dict(re.findall(r"^([A-Z]+) *:= (.*)$", text, re.MULTILINE))  # of the Makefile
    text = re.sub(r"^[A-Z]+ *:= .*$", "", text, flags=re.MULTILINE)
    for _ in range(2):  # a setting may name another
        text = re.sub(r"\$\((\w+)\)", lambda found: settings.get(found[1], found[0]), text)
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    command = re.compile(r"((-m )?\bpip3? install|-m (build|cibuildwheel)) .*")
    return [found[0] for line in lines if (found := command.search(line))]


def is_hashed(command: str) -> bool:
    """Whether a command installs only packages with hashes; the test at the end covers pip."""
    if "--require-hashes" in command:
        return True
    if "pip install" in command and "--no-deps" in command:
        return any(each in command for each in ("--build-constraint ", "--no-build-isolation",
                                                "--no-index"))  # fmt: skip
    return "-m build" in command and (
        "--dependency-constraints-txt " in command or "--no-isolation" in command
    )


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_nothing_is_installed_without_hashes(path):
    """This holds for make and for workflows, with the listed exceptions."""
    found = [each for each in installs(path) if not is_hashed(each)]
    assert [each for each in found if each not in WITHOUT_HASHES] == []


def test_installs_without_hashes_are_still_there():
    """Exceptions that are no longer needed have to be removed."""
    assert {each for path in SCRIPTS for each in installs(path)} >= set(WITHOUT_HASHES)


@pytest.fixture
def package(tmp_path):
    """A folder with a package named shrub, and the hash of its wheel."""
    path = tmp_path / "shrub-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("shrub.py", "")
        wheel.writestr(
            "shrub-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: shrub\nVersion: 1\n"
        )
        wheel.writestr("shrub-1.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr("shrub-1.dist-info/RECORD", "")
    return tmp_path, hashlib.sha256(path.read_bytes()).hexdigest()


PROJECT_OF_SHRUB = '[project]\nname = "x"\nversion = "1"\ndependencies = ["shrub"]\n'
INSTALLERS = {
    "pip": [sys.executable, "-m", "pip", "install", "--isolated", "--ignore-installed"],
    "uv": [Path(sys.executable).with_name("uv"), "pip", "install", "--no-config", "--no-cache"],
}
WRONG = "shrub==1 --hash=sha256:" + "0" * 64
HASHED = {
    "pip": ("--require-hashes", "shrub", "--constraint"),
    "uv": ("--require-hashes", "--requirement", "pyproject.toml", "--constraint"),
}


def install(tool: str, folder: Path, constraint: str, *arguments: str) -> tuple[int, str]:
    """Install only from a folder, with a constraints file that is the last argument."""
    if f"{tool}=={importlib.metadata.version(tool)}" not in LOCK:
        pytest.skip(f"another {tool} may read less")
    (folder / "constraints.txt").write_text(constraint)
    command = [*INSTALLERS[tool], "--no-index", "--find-links", ".", "--target", "site"]
    command += [*arguments, "constraints.txt"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("tool", "constraint", "reason"),
    [
        ("pip", WRONG, "DO NOT MATCH THE HASHES"),
        ("pip", "", "must have their versions"),
        ("uv", WRONG, "Hash mismatch"),
        ("uv", "", "no trusted hash"),
    ],
)
def test_a_package_with_another_hash_or_none_is_rejected(package, tool, constraint, reason):
    """Hashes in constraints apply to all installed packages."""
    folder, _ = package
    (folder / "pyproject.toml").write_text(PROJECT_OF_SHRUB)
    code, text = install(tool, folder, constraint, *HASHED[tool])
    assert code != 0
    assert reason in text


@pytest.mark.parametrize("tool", INSTALLERS)
def test_a_package_with_its_hash_is_accepted(package, tool):
    """The hash is the only reason for a rejection."""
    folder, correct = package
    (folder / "pyproject.toml").write_text(PROJECT_OF_SHRUB)
    code, text = install(tool, folder, f"shrub==1 --hash=sha256:{correct}", *HASHED[tool])
    assert code == 0, text


@pytest.mark.parametrize("constraint", [WRONG, f"other==1 --hash=sha256:{'0' * 64}"])
def test_pip_rejects_a_build_tool_with_another_hash_or_none(package, constraint):
    """Hashes in build constraints apply to all build tools."""
    folder, _ = package
    project = '[build-system]\nrequires = ["shrub"]\nbuild-backend = "shrub"\n'
    (folder / "pyproject.toml").write_text(project)
    code, text = install("pip", folder, constraint, "--no-deps", ".", "--build-constraint")
    assert code == 1
    assert "DO NOT MATCH THE HASHES" in text or "must have their versions" in text
