"""What the gallery shows of a script: its figures as SVG, and the HTML pages that it writes.

Sphinx-gallery calls each function after each block of a script.  A page that the block has written
into the folder of the script is moved to the site, shown in a frame and offered for download.
"""

from __future__ import annotations

import html
from pathlib import Path
from typing import Any

from sphinx_gallery.scrapers import matplotlib_scraper

_HEIGHT = 900  # pixels of a page on the site


def figures(block: Any, variables: dict[str, Any], settings: dict[str, Any]) -> str:
    """The figures of a block as SVG, without empty margins."""
    style = {"format": "svg", "bbox_inches": "tight", "pad_inches": 0.08, "facecolor": "white"}
    return matplotlib_scraper(block, variables, settings, **style, metadata={"Date": None})


def pages(_: Any, variables: dict[str, Any], settings: dict[str, Any]) -> str:
    """The HTML pages that a block has written."""
    found = []
    target = Path(variables["target_file"])
    for page in sorted(Path(variables["src_file"]).parent.glob("*.html")):
        text = page.read_text(encoding="utf-8")
        page.replace(target.parent / page.name)
        found.append(_frame(page.name, text))
    return "\n".join(found)


def _frame(name: str, text: str) -> str:
    """A page in a frame, whose script can reach nothing of the site, and a link to the file."""
    line = html.escape(text).replace("\n", "&#10;").replace("\t", "&#9;")  # docutils trims lines
    frame = (
        f'<iframe srcdoc="{line}" sandbox="allow-scripts" loading="lazy" '
        f'title="{name}" width="100%" height="{_HEIGHT}" frameborder="0"></iframe>'
    )
    return f"\n.. raw:: html\n\n   {frame}\n\n:download:`Download the page {name} <{name}>`\n"
