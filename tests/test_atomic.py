"""Files appear whole or not at all, whoever else writes to the same folder."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import wager._atomic
from wager._atomic import replacing, require_writable
from wager.predictions import read_predictions, write_predictions


def write(path, text):
    with replacing(path) as draft:
        draft.write_text(text)


def test_threads_that_write_one_path_neither_fail_nor_mix(tmp_path):
    target = tmp_path / "out.csv"
    texts = [letter * 20_000 for letter in "abcdefgh"]
    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(write, target, text) for text in texts * 8]:
            done.result()
    assert target.read_text() in texts
    assert list(tmp_path.iterdir()) == [target]


def test_threads_that_write_one_prediction_file_neither_fail_nor_mix(tmp_path):
    target = tmp_path / "out.parquet"
    labels = [[letter] * 500 for letter in "abcd"]
    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(write_predictions, target, y, y_pred=y) for y in labels * 2]:
            done.result()
    assert len(set(read_predictions(target).y_true.tolist())) == 1


def test_a_link_planted_in_the_place_of_the_old_draft_is_not_followed(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / f".out.csv.{os.getpid()}.part").symlink_to(victim)
    write(tmp_path / "out.csv", "new")
    assert victim.read_text() == "precious"
    assert (tmp_path / "out.csv").read_text() == "new"


def test_names_of_drafts_cannot_be_guessed_and_their_folder_is_private(tmp_path):
    folders = set()
    for _ in range(3):
        with replacing(tmp_path / "out.csv") as draft:
            assert stat.S_IMODE(draft.parent.stat().st_mode) == 0o700
            folders.add(draft.parent.name)
            draft.write_text("")
    assert len(folders) == 3


def test_a_target_that_is_a_link_is_replaced_and_what_it_points_to_stays(tmp_path):
    elsewhere, link = tmp_path / "elsewhere.txt", tmp_path / "out.txt"
    elsewhere.write_text("precious")
    link.symlink_to(elsewhere)
    write(link, "new")
    assert elsewhere.read_text() == "precious"
    assert link.read_text() == "new"
    assert not link.is_symlink()


def test_a_link_that_leads_nowhere_is_replaced(tmp_path):
    link = tmp_path / "out.txt"
    link.symlink_to(tmp_path / "nowhere")
    write(link, "new")
    assert link.read_text() == "new"
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666])
def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path, mode):
    target = tmp_path / "p.parquet"
    target.touch()
    target.chmod(mode)
    write_predictions(target, ["a"], y_pred=["a"])
    assert stat.S_IMODE(target.stat().st_mode) == mode


def test_file_and_folder_are_on_the_disk_before_and_after_the_renaming(tmp_path, monkeypatch):
    synced = []

    def fsync(descriptor):
        synced.append(Path(f"/proc/self/fd/{descriptor}").readlink().name)

    monkeypatch.setattr(wager._atomic.os, "fsync", fsync)
    write(tmp_path / "out.txt", "new")
    assert synced == ["draft", tmp_path.name]


def test_a_device_is_written_to_and_not_replaced(tmp_path):
    read, pipe = os.pipe()
    write(f"/dev/fd/{pipe}", "new")
    os.close(pipe)
    with os.fdopen(read) as stream:
        assert stream.read() == "new"
    write("/dev/null", "new")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_a_name_of_255_bytes_can_be_written(tmp_path):
    target = tmp_path / ("n" * 255)
    write(target, "new")
    assert target.read_text() == "new"


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path, monkeypatch):
    def refuse(*args, **kwargs):
        raise PermissionError(13, "Permission denied", "x")

    monkeypatch.setattr(wager._atomic, "TemporaryDirectory", refuse)
    with pytest.raises(ValueError, match=r"cannot write .*out\.txt: permission denied"):
        write(tmp_path / "out.txt", "new")


def test_a_file_in_the_place_of_a_folder_is_named(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(
        ValueError, match=f"cannot write {file / 'x'}: {file} is a file, not a folder"
    ):
        require_writable(file / "x")
