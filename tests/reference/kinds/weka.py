"""How the files of ``weka/`` split into cases.

===================================  =================================================
file                                 cases (kind, name)
===================================  =================================================
``discretize/<set>.json``            ``weka/discretize``
``cfs/<set>.json``                   ``weka/cfs``
``split/<set>.json``                 ``weka/split``
``folds/<set>.json``                 ``weka/folds``
``classifiers/<set>.json``           ``weka/classifiers/<learner>`` and
                                     ``weka/evaluation/<learner>``, one each a learner
``cv_accuracy.csv``                  ``weka/cv/<learner>``, one a row
``index.csv``                        ``weka/index``, one a row
``edge_data/<set>.json``             none: the data of the made-up sets
===================================  =================================================

The data of a case is the JSON object, or the row of the table as a dictionary of strings.  A case
of ``classifiers`` holds one learner's entry, with ``dataset``, ``class_index`` and ``learner``
beside it; ``split_of`` gives the split it was trained and tested on.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from tests.reference.registry import Case, Part, splitter

WHOLE_FILES = ("discretize", "cfs", "split", "folds")
LEARNERS = (
    "NaiveBayes",
    "J48",
    "J48_unpruned",
    "AODE",
    "TAN",
    "NaiveBayes_raw",
    "J48_raw",
    "J48_unpruned_raw",
)


@splitter("weka")
def _weka(file: Path) -> Iterator[Part]:
    table = file.parent.name
    if file.suffix == ".csv":
        yield from _rows(file)
    elif table in WHOLE_FILES:
        yield f"weka/{table}", table, _load(file)
    elif table == "classifiers":
        yield from _learners(_load(file))
    elif table != "edge_data":
        yield f"weka/{table}", table, None


def _rows(file: Path) -> Iterator[Part]:
    with file.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            if file.stem == "cv_accuracy":
                yield f"weka/cv/{row['classifier']}", f"{row['dataset']}-{row['classifier']}", row
            else:
                yield f"weka/{file.stem}", row.get("dataset", ""), row


def _learners(document: dict[str, Any]) -> Iterator[Part]:
    about = {key: value for key, value in document.items() if key != "classifiers"}
    for learner, entry in document["classifiers"].items():
        data = {**about, "learner": learner, **entry}
        yield f"weka/classifiers/{learner}", f"classifiers-{learner}", data
        yield f"weka/evaluation/{learner}", f"evaluation-{learner}", data


def split_of(case: Case) -> dict[str, Any]:
    """The training and test rows that a case of ``classifiers/`` was made with."""
    return _load_once(_folder(case) / "split" / f"{case.data['dataset']}.json")


def edge_data_of(case: Case) -> dict[str, Any] | None:
    """The rows of a made-up data set; None where the case is about a public one."""
    file = _folder(case) / "edge_data" / f"{case.data['dataset']}.json"
    return _load(file) if file.exists() else None


def folds_of(case: Case) -> dict[str, Any]:
    """The test fold of every row in the cross-validation that a case of ``cv_accuracy`` sums up."""
    return _load_once(_folder(case) / "folds" / f"{case.data['dataset']}.json")


def _folder(case: Case) -> Path:
    return case.root / "weka"


@lru_cache(maxsize=2)
def _load_once(file: Path) -> dict[str, Any]:
    """The content of a file that the next cases ask for as well; they only read it."""
    return _load(file)


def _load(file: Path) -> dict[str, Any]:
    return json.loads(file.read_text(encoding="utf-8"))
