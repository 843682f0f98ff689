"""Load a data set by name or path: ARFF, CSV, Parquet, bundled with scikit-learn, or OpenML.

CSV and ARFF files may be compressed (.gz, .zst, .bz2, .xz) and are read as other programs leave
them: with a byte order mark, in UTF-16, with semicolons, tabs and decimal commas.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from wager._tables import COMPRESSED, STANDARD_INPUT, is_one_of, refuse_final_nul
from wager._visible import brief
from wager.prepare._arff import read_arff
from wager.prepare._dataset import Dataset, TargetError
from wager.prepare._table_files import read_csv, read_parquet

__all__ = ["load_dataset"]

BUNDLED = ("breast_cancer", "digits", "iris", "wine")
ARFF, CSV = (
    tuple(f".{kind}{packed}" for kind in kinds for packed in ("", *COMPRESSED))
    for kinds in (("arff",), ("csv", "tsv"))
)
ENDINGS = (*ARFF, *CSV, ".parquet")


def load_dataset(
    name_or_path: str | Path | int,
    *,
    target: str | None = None,
    data: str | Path | None = None,
    missing_class: str = "drop",
) -> Dataset:
    """Load a data set, with the values and classes that its source declares.

    Parameters
    ----------
    name_or_path : str, Path or int
        A file (``.arff``, ``.csv``, ``.tsv``, each perhaps followed by ``.gz``, ``.zst``, ``.bz2``
        or ``.xz``; ``.parquet``); ``"-"`` for CSV from standard input; the name of a file in the
        data folder, without its extension; one of scikit-learn's bundled data sets (breast_cancer,
        digits, iris, wine); or ``"openml:NAME"``, ``"openml:ID"`` or an integer for OpenML.
    target : str, optional
        The column that holds the class.  Required for CSV and Parquet files; the default is the
        last attribute of an ARFF file and the default target of OpenML.
    data : path, optional
        The folder in which files are found by name; by default the one in the environment variable
        ``WAGER_DATA``.
    missing_class : {"drop", "keep"}, default="drop"
        Whether rows whose class is missing are dropped.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> load_dataset("wine")
    Dataset('wine', 178 rows, 13 numeric and 0 nominal features, 3 classes)
    """
    if not is_one_of(missing_class, ("drop", "keep")):
        raise ValueError(f"missing_class must be 'drop' or 'keep', got {brief(missing_class)}")
    whole = _load(name_or_path, target, data)
    return whole if missing_class == "keep" else whole.with_class()


def _load(name_or_path: str | Path | int, target: str | None, data: str | Path | None) -> Dataset:
    if isinstance(name_or_path, int):
        return _openml(str(name_or_path), target)
    text = str(name_or_path)
    if text.startswith("openml:"):
        return _openml(text.removeprefix("openml:"), target)
    path = Path(name_or_path)
    if path == STANDARD_INPUT:
        return _table(path, target)
    if path.is_dir():
        raise ValueError(f"{path} is a folder: name a data file in it")
    if path.is_file():
        return _file(path, target)
    folder = data if data is not None else os.environ.get("WAGER_DATA") or None
    if folder is not None:
        for ending in ENDINGS:
            found = Path(folder, text + ending)
            if found.is_file():
                return _file(found, target)
    if text.replace("-", "_") in BUNDLED:
        return _bundled(text.replace("-", "_"))
    place = f"the folder {folder}" if folder else "a data folder (WAGER_DATA is not set)"
    raise ValueError(
        f"no data set {brief(text)}: it is neither a file, nor in {place}, nor bundled with "
        f"scikit-learn ({', '.join(BUNDLED)}); {brief('openml:' + text)} would look for it on "
        "OpenML"
    )


def _file(path: Path, target: str | None) -> Dataset:
    name = path.name.lower()
    if name.endswith(ARFF):
        return _arff(path, target)
    if name.endswith((*CSV, ".parquet")):
        return _table(path, target)
    raise ValueError(
        f"cannot read {path.name}: the extension must be .arff, .csv, .tsv (or one of these and "
        ".gz, .zst, .bz2 or .xz) or .parquet"
    )


def _stem(path: Path) -> str:
    return path.name.split(".", 1)[0]


def _arff(path: Path, target: str | None) -> Dataset:
    _, attributes = read_arff(path)
    names = [attribute.name for attribute in attributes]
    if target is None:
        target = names[-1]
    elif target not in names:
        raise TargetError(path.name, target, names, "attribute")
    truth = attributes[names.index(target)]
    if truth.levels is None:
        raise ValueError(
            f"{path.name}: the target {target} is numeric, but a class must be nominal: choose "
            "another with target="
        )
    refuse_final_nul(truth.levels, f"{path.name}: attribute {target!r}")
    features = [attribute for attribute in attributes if attribute is not truth]
    return Dataset(
        _stem(path),
        tuple(attribute.name for attribute in features),
        tuple(attribute.column for attribute in features),
        tuple(attribute.levels for attribute in features),
        truth.column,
        np.array(truth.levels),
        target,
    )


def _table(path: Path, target: str | None) -> Dataset:
    name = "standard input" if path == STANDARD_INPUT else path.name
    wanted = () if target is None else (target,)
    if path.suffix.lower() == ".parquet":
        columns = read_parquet(path, wanted)
    else:
        columns = read_csv(path, wanted)
    if target is None or target not in columns:
        raise TargetError(name, target, list(columns))
    return Dataset.from_columns(_stem(Path(name)), columns, target)


def _bundled(name: str) -> Dataset:
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")()
    names = [str(column) for column in bunch.feature_names]
    classes = np.asarray(bunch.target_names)
    return Dataset(
        name,
        tuple(names),
        tuple(np.ascontiguousarray(column, dtype=np.float64) for column in bunch.data.T),
        (None,) * len(names),
        bunch.target.astype(np.int32),
        classes,
    )


def _openml(which: str, target: str | None) -> Dataset:
    from urllib.error import URLError

    from sklearn.datasets import fetch_openml

    wanted: dict[str, Any] = {"data_id": int(which)} if which.isdigit() else {"name": which}
    try:
        bunch = fetch_openml(
            **wanted,
            version="active" if "name" in wanted else None,
            target_column=target or "default-target",
            as_frame=True,
            parser="auto",
        )
    except (URLError, OSError) as problem:
        raise ValueError(
            f"cannot fetch {which!r} from OpenML ({problem}): check the network, or load an ARFF "
            "file; a data set that was fetched once is kept in scikit-learn's data folder"
        ) from None
    frame = bunch.frame
    return Dataset.from_columns(which, {c: frame[c] for c in frame.columns}, bunch.target.name)
