"""Adds the empty report page to the site: readers drop their files on it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

PAGE = "try.html"
WITHOUT_SOURCE = (PAGE, "contents.html")


def setup(app: Any) -> dict[str, bool]:
    app.connect("build-finished", _write)
    app.connect("doctree-read", _link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _write(app: Any, error: Exception | None) -> None:
    if error is None and app.builder.format == "html":
        Path(app.outdir, PAGE).write_text(empty_page(), encoding="utf-8")


def _link(app: Any, document: Any) -> None:
    """Markdown links to these pages are right, although no source file has their names."""
    from docutils import nodes
    from sphinx import addnodes

    for node in list(document.findall(addnodes.pending_xref)):
        if node["reftype"] == "myst" and node["reftarget"].endswith(WITHOUT_SOURCE):
            node.replace_self(nodes.reference("", "", *node.children, refuri=node["reftarget"]))


def empty_page() -> str:
    """The text of the page."""
    from wager.report import page

    return page().html
