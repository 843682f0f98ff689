"""Where the data sets of a study come from: a folder, OpenML or scikit-learn."""

from __future__ import annotations

import os

__all__ = ["folder_of", "is_public", "no_data_given", "source_of"]

PUBLIC = "openml"


def folder_of(data: str | None) -> str | None:
    """The folder that a plan searches first; None for OpenML or the default."""
    return None if is_public(data) else data


def is_public(data: str | None) -> bool:
    """Whether data sets come from OpenML, by name.

    Examples
    --------
    >>> is_public("openml"), is_public("my-data"), is_public(None)
    (True, False, False)
    """
    return data == PUBLIC


def source_of(data: str | None, name: str) -> str:
    """The source of a data set in a plan: its name, with a prefix for OpenML.

    Examples
    --------
    >>> source_of("openml", "iris"), source_of("my-data", "iris")
    ('openml:iris', 'iris')
    """
    return f"{PUBLIC}:{name}" if is_public(data) else name


def no_data_given(data: str | None) -> bool:
    """Whether neither ``data`` nor ``WAGER_DATA`` is given; quick runs then use scikit-learn's."""
    return data is None and not os.environ.get("WAGER_DATA")
