"""The folder of a cluster that is started here: closed to others, and gone after any end."""

import os
import shutil
import stat
import subprocess
import sys

import pytest

from treadle.cluster import folder
from treadle.cluster.folder import own_folder

if sys.platform == "win32":
    pytest.skip("processes are killed otherwise there", allow_module_level=True)

KILLED = """
import os, pathlib, signal, sys
from treadle.cluster.folder import own_folder
with own_folder(pathlib.Path(sys.argv[1])) as inner:
    pathlib.Path(inner, "session").mkdir()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_folder_that_ray_opens_to_all_lies_in_one_that_is_not(tmp_path):
    with own_folder(tmp_path) as inner:
        os.chmod(inner, 0o777)  # as Ray does
        assert stat.S_IMODE(os.stat(os.path.dirname(inner)).st_mode) == 0o700
    assert os.listdir(tmp_path) == []


def test_what_a_killed_driver_left_goes_with_the_next_start(tmp_path):
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False)
    (left,) = os.listdir(tmp_path)
    with own_folder(tmp_path):
        assert left not in os.listdir(tmp_path)


def test_folders_of_others_stay(tmp_path):
    target = tmp_path / "elsewhere"
    target.mkdir()
    (target / "held").touch()
    (tmp_path / "treadle-ray-link").symlink_to(target)
    (tmp_path / "treadle-ray-empty").mkdir()
    with own_folder(tmp_path) as one:  # which lives
        before = set(os.listdir(tmp_path))
        with own_folder(tmp_path):
            assert before < set(os.listdir(tmp_path))
            assert os.path.isdir(one)
    assert sorted(os.listdir(tmp_path)) == ["elsewhere", "treadle-ray-empty", "treadle-ray-link"]
    assert os.listdir(target) == ["held"]


def test_without_locks_nothing_is_taken_for_dead(tmp_path, monkeypatch):
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False)
    monkeypatch.setattr(folder, "hold", lambda opened: None)
    (left,) = os.listdir(tmp_path)
    with own_folder(tmp_path):
        assert left in os.listdir(tmp_path)
    shutil.rmtree(tmp_path / left)
