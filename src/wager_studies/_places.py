"""Where the data sets of a study come from: a folder, OpenML, or nowhere."""

from __future__ import annotations

import os

__all__ = ["folder_of", "nowhere", "source_of"]

PUBLIC = "openml"


def folder_of(data: str | None) -> str | None:
    """The folder that a plan looks in first, if one is named."""
    return None if data == PUBLIC else data


def source_of(data: str | None, name: str) -> str:
    """What a plan calls a data set: its name, to be found in a folder or on OpenML.

    Examples
    --------
    >>> source_of("openml", "iris"), source_of("my-data", "iris")
    ('openml:iris', 'iris')
    """
    return f"{PUBLIC}:{name}" if data == PUBLIC else name


def nowhere(data: str | None) -> bool:
    """Whether nobody says where data sets are; quick runs then make do with scikit-learn's."""
    return data is None and not os.environ.get("WAGER_DATA")
