"""Files for operators: the image, the compose file, the unit, the proxies and the backup."""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from berryeval.archive import Archive, JudgmentEntry

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
CONTAINERFILE = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
UNIT = (DEPLOY / "berryeval.service").read_text(encoding="utf-8")


def test_the_image_has_two_stages_and_is_not_root():
    """The last stage has no compiler, one volume, another user and a health check."""
    *_, last = re.split(r"^FROM ", CONTAINERFILE, flags=re.MULTILINE)
    assert CONTAINERFILE.count("\nFROM ") == 2
    assert last.startswith("python:3.13-slim\n")
    assert re.findall(r"^VOLUME (.+)$", last, re.MULTILINE) == ["/data"]
    assert re.findall(r"^USER (\d+)$", last, re.MULTILINE) == ["10001"]
    assert "/readyz" in re.search(r"^HEALTHCHECK .*$", last, re.MULTILINE)[0]
    assert 'ENTRYPOINT ["berryeval"]\nCMD ["serve"]' in last


def test_the_image_installs_nothing_without_a_hash():
    """Its only installation step is the script that is also tested without a container engine."""
    steps = re.findall(r"^RUN (.+)$", CONTAINERFILE, re.MULTILINE)
    assert steps[0] == "/source/deploy/install.sh /opt/berryeval"
    assert not any("pip" in step or "apt" in step for step in steps)
    for name in ("install.sh", "try_image_steps.sh", "backup.sh"):
        assert os.access(DEPLOY / name, os.X_OK), name


def test_the_image_listens_where_its_health_check_asks():
    """Port and archive are settings of the environment, which compose.yaml can change."""
    port = re.search(r"BERRYEVAL_PORT=(\d+)", CONTAINERFILE)[1]
    assert f"EXPOSE {port}" in CONTAINERFILE
    assert "BERRYEVAL_ARCHIVE=/data/" in CONTAINERFILE


def test_compose_runs_the_service_read_only_with_postgresql():
    """The database is healthy first, the port is on loopback, and no password is in the file."""
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))["services"]
    service, database = services["service"], services["database"]
    assert (ROOT / "deploy" / service["build"]["context"]).resolve() == ROOT
    assert (ROOT / service["build"]["dockerfile"]).is_file()
    assert service["read_only"] is True
    assert service["tmpfs"] == ["/tmp"]  # noqa: S108 - that of the container
    assert service["cap_drop"] == ["ALL"]
    assert service["depends_on"]["database"]["condition"] == "service_healthy"
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])
    assert "pg_isready" in str(database["healthcheck"]["test"])
    for text in (service["environment"]["BERRYEVAL_ARCHIVE"],
                 database["environment"]["POSTGRES_PASSWORD"]):  # fmt: skip
        assert "${POSTGRES_PASSWORD:?" in text


def test_the_unit_restricts_the_service():
    """It has its own user, writes only its state, and requires a token behind a proxy."""
    assert "ExecStart=/opt/berryeval/bin/berryeval serve --require-token\n" in UNIT
    for setting in ("DynamicUser=yes", "NoNewPrivileges=yes", "PrivateTmp=yes",
                    "ProtectSystem=strict", "StateDirectory=berryeval"):  # fmt: skip
        assert f"\n{setting}\n" in UNIT


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd")
def test_systemd_understands_the_unit(tmp_path):
    """No setting is unknown; the program is that of this environment."""
    program = Path(sys.executable).with_name("berryeval")
    copy = tmp_path / "berryeval.service"
    copy.write_text(UNIT.replace("/opt/berryeval/bin/berryeval", str(program)))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(copy)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "berryeval.service" not in done.stderr, done.stderr


@pytest.mark.parametrize("name", ["Caddyfile", "nginx.conf"])
def test_proxies_lead_to_the_port_of_the_service(name):
    """They keep metrics inside; nginx passes Host on, which Caddy does by itself."""
    text = (DEPLOY / name).read_text(encoding="utf-8")
    assert "127.0.0.1:8765" in text
    assert "/metrics" in text
    assert name == "Caddyfile" or text.count("proxy_set_header Host $host;") == text.count(
        "proxy_pass "
    )


@pytest.mark.skipif(sys.platform == "win32", reason="the script runs in a shell")
def test_a_backup_can_be_restored(tmp_path):
    """It has every judgment, the newest backups are kept, and the service keeps running."""
    path, backups = tmp_path / "a.db", tmp_path / "backups"
    backups.mkdir()
    for day in ("01", "02", "03"):
        (backups / f"berryeval-202501{day}T000000Z.tar.gz").write_bytes(gzip.compress(b""))
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    with Archive.open(path) as archive:
        archive.judgments.put([JudgmentEntry("q1", "d1", 2)], author="ada")
        subprocess.run(
            ["sh", DEPLOY / "backup.sh", path, backups, "2"],
            env=environment, capture_output=True, check=True,
        )  # fmt: skip
    kept = sorted(entry.name for entry in backups.iterdir())
    assert len(kept) == 2
    assert kept[0] == "berryeval-20250103T000000Z.tar.gz"
    with tarfile.open(backups / kept[1]) as packed:
        line = packed.extractfile("export/judgments.jsonl").read()
    assert json.loads(line)["relevance"] == 2


def test_the_operators_page_names_every_file():
    """Operators find every file through the page."""
    page = (ROOT / "docs" / "how-to" / "operate-the-service.md").read_text(encoding="utf-8")
    for name in ("Containerfile", "compose.yaml", "berryeval.service", "Caddyfile", "nginx.conf",
                 "backup.sh"):  # fmt: skip
        assert f"deploy/{name}" in page, name
    assert "make image-steps" in page
