"""The script of the page: files of plain JavaScript, joined in a fixed order.

Each file adds one namespace to the object `wager`, the only global name.  All of them share one
function scope in strict mode, so nothing else reaches the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from wager.plots import simplex_script

# The order matters: a script uses only those before it, and the last one starts the page.
SCRIPTS = (
    "numbers.js",
    "statistics.js",
    "utilities.js",
    "verdict.js",
    "costs.js",
    "elicit.js",
    "elicit_curves.js",
    "store.js",
    "model.js",
    "csv.js",
    "csv_words.js",
    "csv_file.js",
    "csv_match.js",
    "csv_probabilities.js",
    "csv_cells.js",
    "csv_sequence.js",
    "csv_data.js",
    "dom.js",
    "charts.js",
    "simplex.js",
    "elicit_panel.js",
    "drop.js",
    "sections/attitude.js",
    "sections/costs.js",
    "sections/profile.js",
    "sections/leaderboard.js",
    "sections/differences.js",
    "sections/pairs.js",
    "sections/probabilities.js",
    "sections/sequences.js",
    "sections/stores.js",
    "sections/rows.js",
    "sections/downloads.js",
    "page.js",
)


@cache
def script(names: Sequence[str] = SCRIPTS) -> str:
    """The files of these names, in their order, as one function whose only global is ``wager``."""
    parts = "\n".join(map(_file, names))
    body = f'"use strict";\nconst wager = {{}};\n{parts}\nglobalThis.wager = wager;'
    text = f"(() => {{\n{body}\n}})();\n"
    for ending in ("</script", "<!--"):
        assert ending not in text.lower(), f"a script must not contain {ending}"
    return text


def _file(name: str) -> str:
    """The text of a script; that of the simplex also draws the page of `simplex_html`."""
    if name == "simplex.js":
        return simplex_script()
    return files("wager.report.page").joinpath("script", name).read_text(encoding="utf-8")
