"""Temporary folders, and files that a killed service leaves behind."""

import os
import subprocess
import sys
import tempfile

import pytest

from berryeval.service.temporary import sweep, temporary_folder


@pytest.fixture(autouse=True)
def folder_of_the_system(tmp_path, monkeypatch):
    """Temporary files are in a folder of the test."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def left_by(process, tmp_path):
    folder = tmp_path / f"berryeval-service-{process}-abc"
    folder.mkdir()
    (folder / "upload").write_text("half of a file")
    return folder


def test_folders_of_ended_processes_are_removed(tmp_path):
    """A process with the same id, as in a container, may also have left one."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    for process in (ended.pid, os.getpid(), 10**30):
        left_by(process, tmp_path)
    sweep()
    assert [*tmp_path.iterdir()] == []


def test_folders_in_use_are_kept(tmp_path):
    """These are folders of this process, of another one, and those with other names."""
    kept = [left_by(os.getppid(), tmp_path), tmp_path / "berryeval-service-x-y"]
    kept[1].mkdir()
    with temporary_folder() as folder:
        sweep()
        assert sorted(tmp_path.iterdir()) == sorted([*kept, folder])
    assert not folder.exists()


def test_a_service_sweeps_when_it_starts(tmp_path, service):
    """After a crash in the middle of an upload, its file is gone."""
    left = left_by(os.getpid(), tmp_path)
    service()
    assert not left.exists()
