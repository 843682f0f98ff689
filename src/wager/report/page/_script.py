"""The script of the page: files of plain JavaScript, joined in a fixed order.

Each file adds one namespace to the object `wager`, the only global name.  All of them share one
function scope in strict mode, so nothing else reaches the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

SCRIPT_FILES = (
    "numbers.js",
    "statistics.js",
    "utilities.js",
    "verdict.js",
    "costs.js",
    "elicit.js",
    "store.js",
    "model.js",
    "csv.js",
    "charts.js",
    "page.js",
)


def script(names: Sequence[str] = SCRIPT_FILES) -> str:
    """The text of the script, from the files of these names that exist, in their order."""
    folder = files("wager.report.page").joinpath("script")
    found = [folder.joinpath(name) for name in names]
    parts = [part.read_text(encoding="utf-8").strip() for part in found if part.is_file()]
    body = "\n\n".join(["const wager = {};", *parts, "window.wager = wager;"])
    return f'(function () {{\n"use strict";\n{body}\n}})();\n'
