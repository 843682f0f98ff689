"""The data of a page without data: it waits for prediction files that are dropped on it."""

from __future__ import annotations

from typing import Any

from wager.report.page._data import document

_LEVEL = 0.95  # of the intervals that the page computes from dropped files


def empty_data(title: str | None = None) -> dict[str, Any]:
    """The data of a page that waits for files.

    The page counts the files in the browser and then shows them like any report.

    Parameters
    ----------
    title : str, optional
        The heading until files are dropped.

    Examples
    --------
    >>> data = empty_data()
    >>> data["kind"], data["classifiers"]
    ('empty', [])
    """
    from importlib.metadata import version

    versions = {"wager": version("wager")}
    facts = {"level": _LEVEL, "versions": versions, "inputs": [], "warnings": []}
    return document("empty", title or "Try wager with your predictions", facts, [], [])
