"""The notebooks of the documentation show what their code gives."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.examples import examples

PROJECT = Path(__file__).resolve().parent.parent.parent
NOTEBOOKS = sorted((PROJECT / "docs" / "notebooks").glob("*.ipynb"))
RUNNER = Path(__file__).with_name("run_cells.py")
EXTRAS = {  # what each extra installs
    "conformal": {"mapie"},
    "frames": {"pandas", "polars", "pyarrow"},
    "dask": {"dask", "distributed"},
}
LARGEST = 400_000  # bytes
named = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def code_cells(notebook):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def packages(notebook):
    """The packages that the first cell asks for, by their extra, and all others of extras."""
    found = re.search(
        r"^This page needs `pip install 'wager\[([a-z,]+)\]'`\.$",
        "".join(notebook["cells"][0]["source"]),
        re.MULTILINE,
    )
    extras = found[1].split(",") if found else []
    needed = set().union(*(EXTRAS[name] for name in extras))
    return sorted(needed), sorted(set().union(*EXTRAS.values()) - needed)


def stored(cell):
    """What the notebook shows below a cell, in the form of the runner."""
    outputs = cell["outputs"]
    shown = [o["data"] for o in outputs if o["output_type"] == "execute_result"]
    figures = [o for o in outputs if "image/svg+xml" in o.get("data", {})]
    printed = "".join("".join(o["text"]) for o in outputs if o["output_type"] == "stream")
    text = "".join(shown[0]["text/plain"]) if shown else None
    return {"printed": printed, "text": text, "figures": len(figures)}


def test_there_are_four_notebooks_and_the_index_lists_them():
    index = (PROJECT / "docs" / "notebooks" / "index.md").read_text(encoding="utf-8")
    assert len(NOTEBOOKS) == 4
    listed = re.search(r"```\{toctree\}(.*?)```", index, re.DOTALL)[1].split()[2:]
    assert sorted(listed) == [path.stem for path in NOTEBOOKS]


@pytest.mark.long
@pytest.mark.parametrize("path", examples(NOTEBOOKS, lambda path: path.stem))
def test_the_code_gives_what_the_notebook_shows(path, tmp_path):
    notebook = read(path)
    needed, refused = packages(notebook)
    if missing := [name for name in needed if find_spec(name) is None]:
        pytest.skip(f"needs {', '.join(missing)}, as the notebook says")
    command = [sys.executable, "-W", "error", str(RUNNER), str(path), *refused]
    folders = [str(PROJECT / "src"), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, folders))}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    for cell in code_cells(notebook):
        assert found[cell["id"]] == stored(cell), f"{cell['id']}: run `make notebooks`"


@named
def test_a_notebook_is_small_and_has_no_traces_of_where_it_was_made(path):
    text = path.read_text(encoding="utf-8")
    assert len(text.encode()) < LARGEST
    assert not re.search(r"/(home|root|tmp|work|usr)/|[A-Z]:\\\\|site-packages", text)
    notebook = read(path)
    assert notebook["metadata"]["language_info"] == {"name": "python"}
    for number, cell in enumerate(notebook["cells"], 1):
        assert cell["id"] == f"cell-{number:02}"
        assert cell["metadata"] == {}
        assert all(o.get("metadata", {}) == {} for o in cell.get("outputs", ()))
        assert all(o["output_type"] != "error" for o in cell.get("outputs", ()))


@named
def test_a_notebook_tells_a_story(path):
    notebook = read(path)
    prose = "\n".join(
        "".join(c["source"]) for c in notebook["cells"] if c not in code_cells(notebook)
    )
    assert 12 <= len(notebook["cells"]) <= 25
    assert prose.startswith("# ")
    for part in ("**The question.**", "## The decision", "## What the data do not support"):
        assert part in prose
    assert sum(stored(cell)["figures"] for cell in code_cells(notebook)) >= 1


@named
def test_cells_are_plain_python_in_short_lines(path):
    for cell in code_cells(read(path)):
        lines = "".join(cell["source"]).splitlines()
        assert not any(line.lstrip().startswith(("%", "!")) for line in lines)
        assert max(map(len, lines)) <= 88
        shown = stored(cell)
        output = f"{shown['printed']}\n{shown['text'] or ''}".splitlines()
        assert max(map(len, output), default=0) <= 88
