"""Run the code cells of a notebook without Jupyter, and print their outputs as JSON.

    python run_cells.py NOTEBOOK [PACKAGE ...]

The packages cannot be imported, as in an installation without extras.  The output of a cell is what
it prints, the text of its last expression (if no semicolon follows it), and its number of figures.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import sys
from importlib.abc import MetaPathFinder

import matplotlib as mpl

mpl.use("agg")


class Refused(MetaPathFinder):
    """Packages that are treated as not installed."""

    def __init__(self, names):
        self.names = frozenset(names)

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def run(cell, namespace):
    """What a cell prints, the text of its last expression, and its number of figures."""
    from matplotlib import pyplot as plt

    source = "".join(cell["source"])
    body = ast.parse(source).body
    is_shown = isinstance(body[-1], ast.Expr) and not source.rstrip().endswith(";")
    last = ast.Expression(body.pop().value) if is_shown else None
    printed, text = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), cell["id"], "exec"), namespace)
        if last is not None:
            value = eval(compile(last, cell["id"], "eval"), namespace)
            text = None if value is None else repr(value)
    figures = len(plt.get_fignums())
    plt.close("all")
    return {"printed": printed.getvalue(), "text": text, "figures": figures}


if __name__ == "__main__":
    path, *refused = sys.argv[1:]
    sys.meta_path.insert(0, Refused(refused))
    with open(path, encoding="utf-8") as file:  # noqa: PTH123
        cells = [cell for cell in json.load(file)["cells"] if cell["cell_type"] == "code"]
    namespace = {"__name__": "__main__"}
    json.dump({cell["id"]: run(cell, namespace) for cell in cells}, sys.stdout)
