"""The data sets of Zaffalon, Corani & Mauá (2012) and how they are prepared.

The paper names 55 data sets of the UCI repository, Weka's plugin for imprecise classification,
MDL discretization and ten runs of ten-fold cross-validation.  The other settings were found by
matching the printed tables: missing values are replaced once on the whole file, features with one
interval are dropped, and the files are split into Weka's folds.  Eight data sets are exceptions
that the paper does not mention: three keep their missing values, one is used without its first
feature, and four have their rows in another order than our files, which changes the folds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from wager.experiments.study import Claim, left_open
from wager_studies._data_source import folder_of, is_public, no_data_given, source_of
from wager_studies._published import row_order

__all__ = [
    "DATA_SETS",
    "SELECTED",
    "SELECTION",
    "finished_note",
    "is_nearly_complete",
    "open_if_few",
    "order_of_rows",
    "preset",
    "with_selection",
]

# In order of cost, so that a run that is stopped early has finished as many as possible.
DATA_SETS = (
    "contact-lenses", "pasture-production", "labor", "postoperative", "squash-unstored",
    "squash-stored", "iris", "hayes-roth", "tae", "white-clover", "haberman", "grub-damage",
    "hepatitis", "zoo", "wine", "liver-disorders", "lymphography", "solar-flare-X",
    "solar-flare-C", "monks3", "monks1", "glass", "spect", "solar-flare-m", "monks-2",
    "hungarian-14-heart-diseases", "cleveland-14-heart-diseases", "wisconsin-breast-cancer",
    "pima-diabetes", "ecoli", "sonar", "ionosphere", "credit", "german-credit", "eucalyptus",
    "cmc", "primary-tumor", "audiology", "anneal", "vowel", "yeast", "soybean", "segment",
    "kr-vs-kp", "page-blocks", "hypothyroid", "splice", "mushroom", "waveform", "spambase",
    "nursery", "optdigits", "pendigits", "letter", "connect-4",
)  # fmt: skip
QUICK = ("contact-lenses", "labor", "iris", "hayes-roth", "tae", "wine", "glass", "ecoli")
BUNDLED = ("iris", "wine", "breast-cancer")  # for a quick run on a machine without data

# With fewer data sets finished, claims about all 55 are left open.
MOST = 50

# Printed names that differ from the names of the files.
FILES = {
    "monks-2": "monks2",
    "solar-flare-C": "solar-flare-c",
    "solar-flare-X": "solar-flare-x",
    "cleveland-14-heart-diseases": "cleveland-14-heart-disease",
    "hungarian-14-heart-diseases": "hungarian-14-heart-disease",
}
KEEP_MISSING = ("wisconsin-breast-cancer", "mushroom", "postoperative")
DROP = {"vowel": ["Train_or_Test"]}
# Files that join a training part of so many rows and a test part: here the test part comes first.
TEST_PART_FIRST = {"spect": (80, 267), "monks-2": (169, 601), "monks3": (122, 554)}
# Our file has the rows in the order of another collection; these are its rows in UCI's order.
UCI_ORDER = ("liver-disorders",)

PREPARE = {"impute": "once", "discretize": "mdl", "single_bin": "drop"}
SELECTION = {"select": "cfs"}  # added to the preparation for feature selection
SELECTED = " after CFS"  # added to the label of a learner with feature selection
SCHEME = {"folds": "weka", "n_folds": 10, "repeats": 10}


def preset(data: str | None, quick: bool, *, as_printed: bool = True) -> dict[str, Any]:
    """The part of a plan that the studies on these data sets share: data, preparation and folds.

    Parameters
    ----------
    data : str, optional
        The folder of data sets, or ``"openml"`` to fetch them by name; by default the folder in
        the environment variable ``WAGER_DATA``.
    quick : bool
        Use eight small data sets, cross-validated once; without a folder, those of scikit-learn.
    as_printed : bool, default=True
        Take the rows in the order that gives the printed numbers instead of that of our files; it
        matters where results are compared with the print.
    """
    names: tuple[str, ...] = QUICK if quick else DATA_SETS
    if quick and no_data_given(data):
        names = BUNDLED
    return {
        "data": folder_of(data),
        "datasets": [_entry(name, data, as_printed) for name in names],
        "prepare": PREPARE,
        "scheme": SCHEME | ({"repeats": 1} if quick else {}),
        "probabilities": False,
    }


def _entry(name: str, data: str | None, as_printed: bool) -> dict[str, Any]:
    entry: dict[str, Any] = {"source": source_of(data, FILES.get(name, name)), "name": name}
    if name in DROP:
        entry["drop"] = DROP[name]
    if name in KEEP_MISSING:
        entry["prepare"] = {"impute": "none"}
    rows = order_of_rows(name) if as_printed and not is_public(data) else ()
    return entry | ({"rows": list(rows)} if rows else {})


def order_of_rows(name: str) -> tuple[int, ...]:
    """The rows of our file in the order that gives the printed numbers; empty for the file's own.

    Examples
    --------
    >>> order_of_rows("spect")[:2], order_of_rows("iris")
    ((80, 81), ())
    """
    if name in UCI_ORDER:
        return row_order(name)
    if name in TEST_PART_FIRST:
        training, n = TEST_PART_FIRST[name]
        return (*range(training, n), *range(training))
    return ()


def with_selection(learners: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """The learners, and the same learners with feature selection.

    Examples
    --------
    >>> list(with_selection({"NCC": {"learner": "naive-credal"}}))
    ['NCC', 'NCC after CFS']
    """
    plain = {name: dict(spec) for name, spec in learners.items()}
    return plain | {name + SELECTED: spec | {"prepare": SELECTION} for name, spec in plain.items()}


def is_nearly_complete(names: Sequence[str]) -> bool:
    """Whether enough of the 55 data sets are finished to check claims about all of them."""
    return len(names) >= MOST


def open_if_few(claims: Iterable[Claim], names: Sequence[str], least: int = MOST) -> list[Claim]:
    """The claims, without a verdict if fewer than ``least`` data sets are finished."""
    return (
        list(claims) if len(names) >= least else left_open(claims, "too few data sets are finished")
    )


def finished_note(names: Sequence[str]) -> str:
    """A sentence about how many of the data sets are finished."""
    return f"{len(names)} of {len(DATA_SETS)} data sets are finished."
