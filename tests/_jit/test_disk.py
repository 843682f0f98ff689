"""Compiled code on disk: found again, and never a reason to stop or to compute something else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests._jit import loops
from tests.shared import PROJECT
from wager._jit import _disk
from wager._jit._choice import digest_of

POSIX = pytest.mark.skipif(
    not hasattr(os, "getuid"), reason="permissions and locks of POSIX systems"
)

SUM = """
import json, numpy
from tests._jit.loops import add_up
total = add_up(numpy.arange(4.0), work=0.0)
(form,) = add_up._forms.values()
print(json.dumps([total, sum(form.function.stats.cache_hits.values())]))
"""


def run(code, folder, **variables):
    """What a fresh process prints, with loops compiled at their first call."""
    environment = {**os.environ, "WAGER_COMPILE": "always", "NUMBA_CACHE_DIR": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=PROJECT,
        env={key: value for key, value in (environment | variables).items() if value is not None},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def total_and_hits(folder, **variables):
    return tuple(json.loads(run(SUM, folder, **variables)))


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A folder in which the code of the loop is kept."""
    folder = tmp_path_factory.mktemp("cache")
    assert total_and_hits(folder) == (18.0, 0)
    return folder


def kept_file(folder):
    (path,) = (folder / "wager").iterdir()
    return path


def test_code_is_found_by_the_next_process(filled):
    assert total_and_hits(filled) == (18.0, 1)


@pytest.mark.long
@POSIX
def test_processes_that_need_the_same_code_wait_for_the_one_that_compiles_it(tmp_path):
    with ThreadPoolExecutor() as pool:
        found = list(pool.map(total_and_hits, [tmp_path] * 3))
    assert sorted(found) == [(18.0, 0), (18.0, 1), (18.0, 1)]
    assert kept_file(tmp_path).suffix == _disk.SUFFIX  # no lock stays behind


HOLD = """
import sys
from contextlib import ExitStack
from pathlib import Path
from wager._jit._disk import _lock
with ExitStack() as held:
    _lock(Path(sys.argv[1]), 60.0, held)
    print("held", flush=True)
    sys.stdin.read()
"""


@POSIX
def test_nobody_waits_for_ever_or_for_a_process_that_is_gone(tmp_path):
    path = tmp_path / "wager" / "a.lock"
    command = [sys.executable, "-c", HOLD, str(path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=PROJECT, **pipes) as other:
        assert other.stdout.readline() == b"held\n"
        with ExitStack() as held:
            _disk._lock(path, 0.2, held)
        assert path.exists()  # it is the other's
        other.kill()
    with ExitStack() as held:
        _disk._lock(path, 60.0, held)
    assert not path.exists()


@pytest.mark.long
def test_a_file_that_is_cut_off_is_replaced(filled, tmp_path):
    content = kept_file(filled).read_bytes()
    (tmp_path / "wager").mkdir()
    damaged = tmp_path / "wager" / kept_file(filled).name
    damaged.write_bytes(content[: len(content) // 2])
    assert total_and_hits(tmp_path) == (18.0, 0)
    assert total_and_hits(tmp_path) == (18.0, 1)


def test_damage_anywhere_is_noticed(filled, tmp_path):
    content = kept_file(filled).read_bytes()
    damaged = tmp_path / "file"
    damaged.write_bytes(content)
    assert _disk._read_checked(damaged) == content[32:]
    for place in range(0, len(content), len(content) // 50):
        damaged.write_bytes(content[:place])
        assert _disk._read_checked(damaged) is None
        changed = bytearray(content)
        changed[place] ^= 1
        damaged.write_bytes(changed)
        assert _disk._read_checked(damaged) is None


@pytest.mark.long
def test_a_folder_in_place_of_the_file_does_not_matter(filled, tmp_path):
    (tmp_path / "wager" / kept_file(filled).name).mkdir(parents=True)
    assert total_and_hits(tmp_path) == (18.0, 0)


@pytest.mark.long
def test_a_cache_that_cannot_be_written_does_not_matter(tmp_path):
    file = tmp_path / "a file"
    file.write_text("not a folder")
    assert total_and_hits(file) == (18.0, 0)  # no folder can be made there, by any user
    assert file.read_text() == "not a folder"


@pytest.mark.long
def test_a_cache_that_can_only_be_read_is_used(filled):
    folder = filled / "wager"
    folder.chmod(0o500)
    try:
        assert total_and_hits(filled) == (18.0, 1)
    finally:
        folder.chmod(0o700)


@pytest.mark.long
def test_without_a_home_nothing_is_kept(tmp_path):
    nowhere = {"NUMBA_CACHE_DIR": None, "XDG_CACHE_HOME": None, "HOME": "/proc/none"}
    assert total_and_hits(tmp_path, **nowhere) == (18.0, 0)


def test_code_that_comes_later_is_found_and_a_folder_at_rest_is_read_once(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    folder = tmp_path / "wager"
    folder.mkdir(mode=0o700)
    read, iterdir = [], Path.iterdir
    monkeypatch.setattr(Path, "iterdir", lambda path: read.append(path) or iterdir(path))
    os.utime(folder, (1e9, 1e9))  # long at rest
    assert not any(_disk.is_kept(loops.scaled, "digest", None) for _ in range(3))
    assert read == [folder]
    name = _disk._stem(loops.scaled, "digest", None) + "1.kernel"
    (folder / name).touch()
    assert _disk.is_kept(loops.scaled, "digest", None)
    (folder / name).unlink()  # at once, perhaps within the same moment of the clock
    assert not _disk.is_kept(loops.scaled, "digest", None)


def test_a_user_without_a_home_has_no_folder(monkeypatch):
    def no_home():
        raise RuntimeError("could not determine home directory")

    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    assert _disk.cache_folder() is None
    assert not _disk.is_kept(loops.scaled, "digest", None)


def test_the_users_folder_for_caches_is_the_default(monkeypatch, tmp_path):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert _disk.cache_folder() == tmp_path / "wager"


def test_files_of_other_users_are_not_read(filled, monkeypatch):
    path = kept_file(filled)
    owner = path.stat().st_uid
    assert _disk._is_trusted(owner)
    assert not _disk._is_trusted(owner + 12345)
    assert _disk._read_checked(path) is not None
    monkeypatch.setattr(_disk, "_is_trusted", lambda owner: False)
    assert _disk._read_checked(path) is None


CONTENT = b"code"


def modes_of(folder):
    return {path.stat().st_mode & 0o777 for path in (folder, *folder.iterdir())}


@POSIX
def test_only_the_owner_can_enter_and_read_what_is_kept(tmp_path):
    _disk._write_checked(tmp_path / "new" / "wager" / "a.kernel", CONTENT)
    assert modes_of(tmp_path / "new" / "wager") == {0o700, 0o600}
    (tmp_path / "wager").mkdir()
    (tmp_path / "wager").chmod(0o777)  # by an earlier version, with another umask
    _disk._write_checked(tmp_path / "wager" / "a.kernel", CONTENT)
    assert modes_of(tmp_path / "wager") == {0o700, 0o600}
    assert _disk._read_checked(tmp_path / "wager" / "a.kernel") == CONTENT


@POSIX
@pytest.mark.parametrize("shared", ["file", "folder"])
def test_what_others_can_write_to_is_not_read(shared, tmp_path):
    path = tmp_path / "wager" / "a.kernel"
    _disk._write_checked(path, CONTENT)
    (path if shared == "file" else path.parent).chmod(0o770)
    assert _disk._read_checked(path) is None


@POSIX
@pytest.mark.parametrize("as_link", [False, True])
def test_a_folder_that_somebody_else_planted_is_not_used(as_link, tmp_path, monkeypatch):
    path = tmp_path / "wager" / "a.kernel"
    _disk._write_checked(path, CONTENT)
    if as_link:
        (tmp_path / "planted").mkdir()
        (tmp_path / "planted" / "wager").symlink_to(path.parent)
        path = tmp_path / "planted" / "wager" / "a.kernel"
    planted = path.parent.lstat().st_ino
    of_others = os.getuid() + 1
    real = Path.lstat

    def lstat(self):
        found = real(self)
        return (
            os.stat_result((*found[:4], of_others, *found[5:]))
            if found.st_ino == planted
            else found
        )

    monkeypatch.setattr(Path, "lstat", lstat)
    assert _disk._read_checked(path) is None
    _disk._write_checked(path.with_name("b.kernel"), CONTENT)
    assert [each.name for each in path.parent.iterdir()] == ["a.kernel"]


@POSIX
def test_a_link_in_place_of_a_draft_or_file_is_not_followed(tmp_path):
    path, other = tmp_path / "wager" / "a.kernel", tmp_path / "other"
    other.write_bytes(b"kept")
    path.parent.mkdir()
    for name in (path.name, f"{path.name}.{os.getpid()}.part"):
        (path.parent / name).symlink_to(other)
    _disk._write_checked(path, CONTENT)
    assert other.read_bytes() == b"kept"
    assert _disk._read_checked(path) == CONTENT


# changes in the source ---------------------------------------------------------------------------

INNER = "from wager._jit import kernel\n{constant}\n@kernel\ndef inner(x):\n    return {formula}\n"
OUTER = """
from wager._jit import entry
from inner_loop import inner

@entry
def outer(values):
    total = 0.0
    for i in range(len(values)):
        total += inner(values[i])
    return total
"""
CALL = """
import sys, numpy
sys.path.insert(0, {folder!r})
from outer_loop import outer
print(outer(numpy.arange(4.0), work=0.0))
"""


@pytest.fixture
def answer_of(tmp_path):
    """The answer of a loop whose kernel is in another module, with a cache that stays."""
    (tmp_path / "outer_loop.py").write_text(OUTER)

    def answer(formula, constant="ADD = 0"):
        text = INNER.format(formula=formula, constant=constant)
        (tmp_path / "inner_loop.py").write_text(text)
        called = CALL.format(folder=str(tmp_path))
        # byte code is dated to the second only, and these edits follow each other faster
        return float(run(called, tmp_path / "cache", PYTHONDONTWRITEBYTECODE="1"))

    return answer


@pytest.mark.long
def test_a_change_in_a_kernel_of_another_module_is_noticed(answer_of):
    assert answer_of("x + ADD") == 6.0
    assert answer_of("x * 2 + ADD") == 12.0
    assert answer_of("x * 2 + ADD", "ADD = 1") == 16.0  # and of a constant


def test_the_digest_depends_on_everything_below_a_loop(monkeypatch):
    from wager._jit._kernels import digest

    before = digest(loops.add_up.loop)
    monkeypatch.setattr(loops, "FACTOR", 4)
    assert digest(loops.add_up.loop) != before
    monkeypatch.undo()
    assert digest(loops.add_up.loop) == before
    assert digest_of(loops.squares_up_to.loop) != before


@pytest.mark.long
def test_different_types_are_kept_apart(tmp_path):
    code = """
import numpy
from tests._jit.loops import add_up
print([add_up(numpy.arange(4, dtype=kind), work=0.0) for kind in ("f8", "i4")])
"""
    assert json.loads(run(code, tmp_path)) == [18.0] * 2
    assert len(list((tmp_path / "wager").iterdir())) == 2
