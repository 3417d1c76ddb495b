"""Files that are replaced atomically, and those that are written to directly."""

import os
import stat
import sys
import threading

import pytest

from berryeval.core.files import write_whole
from berryeval.errors import FormatError

needs_fifos = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no FIFOs here")


def test_a_link_is_kept_and_its_target_is_written(tmp_path):
    """This includes links to links, and to files that do not exist yet."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder/file")
    (tmp_path / "second").symlink_to("link")
    for content in (b"one", b"two"):
        write_whole(tmp_path / "second", [content])
        assert (tmp_path / "folder" / "file").read_bytes() == content
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "second").is_symlink()
    assert [path.name for path in (tmp_path / "folder").iterdir()] == ["file"]


@needs_fifos
def test_a_pipe_is_written_to_and_kept(tmp_path):
    """Devices and pipes are never replaced by files."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    read = []
    reader = threading.Thread(target=lambda: read.append(path.read_bytes()))
    reader.start()
    write_whole(path, [b"one ", b"two"])
    reader.join(10)
    assert read == [b"one two"]
    assert stat.S_ISFIFO(path.stat().st_mode)
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_a_folder_cannot_be_written(tmp_path):
    """The error is one line, and the folder is kept."""
    with pytest.raises(FormatError, match=r"cannot be written: (Is a directory|Permission denied)"):
        write_whole(tmp_path, [b"x"])
    assert tmp_path.is_dir()


@pytest.mark.parametrize("name", ["-", "/dev/stdout"])
def test_a_dash_is_standard_output(capsysbinary, tmp_path, monkeypatch, name):
    """It follows earlier output, and no file with that name is created."""
    monkeypatch.chdir(tmp_path)
    sys.stdout.write("before\n")
    write_whole(name, [b"one ", b"two\n"])
    assert capsysbinary.readouterr().out == b"before\none two\n"
    assert [path.name for path in tmp_path.iterdir()] == []
