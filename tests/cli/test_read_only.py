"""Folders and files of others: one sentence, a plain exit status, and nothing left behind."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FIT = ["fit", "naive-bayes", "train.csv", "train.csv", "--target", "kind", "--discretize", "mdl"]
# the exit status, and the commands that end with it; "mine" is a folder that can be written to
COMMANDS = {
    0: [["score", "p.csv"]],
    1: [["run", "plan.toml"], ["run", "plan.toml", "-o", "store"]],
    2: [
        ["score", "p.csv", "-o", "out.txt"],
        ["score", "p.csv", "--by", "y_true", "-o", "out.csv", "--format", "csv"],
        ["score", "p.csv", "--classes", "@hidden.csv"],
        ["score", "hidden.csv"],
        ["compare", "p.csv", "q.csv", "-o", "out.txt"],
        ["compare", "p.csv", "q.csv", "--plot", "out.png"],
        ["report", "p.csv", "-o", "out.html"],
        [*FIT, "-o", "out.csv"],
        [*FIT, "-o", "out.parquet", "--save", "mine/model.npz"],
        [*FIT, "-o", "mine/out.csv", "--save", "model.npz"],
        ["monitor", "p.csv", "--coverage", "0.5"],
        ["monitor", "p.csv", "--coverage", "0.5", "--state", "s.json", "-o", "mine/out.txt"],
        ["demo"],
        ["demo", "-o", "store"],
        ["elicit", "-k", "3"],
        ["costs", "new", "a,b", "-o", "costs.toml"],
        ["explain", "u65", "-o", "out.txt"],
    ],
}
CHILD = """
import json, os, sys
from typer.testing import CliRunner
from wager.cli import app

found = []
for arguments in json.load(sys.stdin):
    result = CliRunner().invoke(app, arguments, input="=\\n" * 99)
    crash = None if isinstance(result.exception, SystemExit) else repr(result.exception)
    found.append([result.exit_code, result.stderr, crash if result.exception else None])
print(json.dumps(found))
"""


def without_privileges():
    """What starts a program for which the permissions of files hold."""
    if not hasattr(os, "geteuid"):
        pytest.skip("this system has no permissions of files as POSIX has them")
    if os.geteuid() != 0:
        return []
    drop = ["setpriv", "--inh-caps=-all", "--bounding-set=-all"]
    if shutil.which("setpriv") is None or subprocess.run([*drop, "true"], check=False).returncode:
        pytest.skip("root may write everywhere, and setpriv cannot take this right away")
    return drop


@pytest.fixture
def folder(tmp_path):
    """A folder that can only be read, with a folder in it that can be written to."""
    place = tmp_path / "folder"
    for name in ("mine", "store"):
        (place / name).mkdir(parents=True)
    for name in ("p.csv", "q.csv", "hidden.csv"):
        (place / name).write_text("y_true,y_pred\na,a\nb,a\nb,b\n")
    (place / "train.csv").write_text("x,kind\n" + "1,a\n2,b\n" * 9)
    (place / "plan.toml").write_text(
        'datasets = ["iris"]\nmeasures = ["u65"]\nscheme = "5x2"\n[learners]\nall = "vacuous"\n'
    )
    (place / "hidden.csv").chmod(0)
    (place / "store").chmod(0o555)
    place.chmod(0o555)
    yield place
    place.chmod(0o755)
    (place / "store").chmod(0o755)


@pytest.mark.long
def test_what_cannot_be_written_or_read_is_one_sentence_and_leaves_nothing(folder):
    drop = without_privileges()
    before = sorted(folder.rglob("*"))
    cases = [(status, command) for status, commands in COMMANDS.items() for command in commands]
    environment = os.environ | {"HOME": "/nonexistent", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [*drop, sys.executable, "-c", CHILD],
        input=json.dumps([command for _, command in cases]),
        env=environment, cwd=folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    for (status, command), (code, said, crash) in zip(cases, json.loads(done.stdout), strict=True):
        assert (code, crash) == (status, None), (command, said)
        lines = said.splitlines()
        assert len(lines) == (status > 0), (command, said)
        assert all(line.startswith("wager: ") for line in lines)
    assert sorted(folder.rglob("*")) == before
    assert list(Path(folder / "mine").iterdir()) == []
