"""Adds the empty report page to the documentation site, on which readers can drop their files."""

from __future__ import annotations

from typing import Any

PAGE = "try.html"


def on_files(files: Any, config: Any) -> Any:
    """Called by MkDocs with the files of the site, before links are checked."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, PAGE, content=empty_page()))
    return files


def empty_page() -> str:
    """The text of the page."""
    from wager.report import page

    return page().html
