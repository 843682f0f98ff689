"""The data sets of Zaffalon, Corani & Mauá (2012) and the way they were prepared.

The paper names 55 data sets of the UCI repository, Weka's plugin for imprecise classification,
MDL discretization and ten runs of ten-fold cross-validation.  The rest was found by matching the
printed tables: missing values are replaced once on the whole file, features with one interval are
dropped, and the files are cut into Weka's folds.  Four data sets are exceptions that the paper does
not mention: three keep their missing values, one does without its first feature.
"""

from __future__ import annotations

from typing import Any

from wager_studies._places import folder_of, nowhere, source_of

__all__ = ["DATA_SETS", "MOST", "PREPARE", "QUICK", "SCHEME", "SELECT", "TOO_FEW", "preset"]

# By growing cost, so that a run that is stopped has finished as many as possible.
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

# With fewer data sets finished, what is said of all 55 is left open.
MOST = 50
TOO_FEW = "too few data sets are finished"

# Printed names that are not the names of the files.
FILES = {
    "monks-2": "monks2",
    "solar-flare-C": "solar-flare-c",
    "solar-flare-X": "solar-flare-x",
    "cleveland-14-heart-diseases": "cleveland-14-heart-disease",
    "hungarian-14-heart-diseases": "hungarian-14-heart-disease",
}
KEEP_MISSING = ("wisconsin-breast-cancer", "mushroom", "postoperative")
DROP = {"vowel": ["Train_or_Test"]}

PREPARE = {"impute": "once", "discretize": "mdl", "single_bin": "drop"}
SELECT = {"select": "cfs"}  # what feature selection adds to it
SCHEME = {"folds": "weka", "n_folds": 10, "repeats": 10}


def preset(data: str | None, quick: bool) -> dict[str, Any]:
    """What the studies on these data sets share: data, preparation and folds of a plan.

    Parameters
    ----------
    data : str, optional
        The folder of data sets, or ``"openml"`` to fetch them by name; by default the folder that
        ``WAGER_DATA`` names.
    quick : bool
        Eight small data sets, cross-validated once; those of scikit-learn where there is no folder.
    """
    names: tuple[str, ...] = QUICK if quick else DATA_SETS
    if quick and nowhere(data):
        names = BUNDLED
    return {
        "data": folder_of(data),
        "datasets": [_entry(name, data) for name in names],
        "prepare": PREPARE,
        "scheme": SCHEME | ({"repeats": 1} if quick else {}),
        "probabilities": False,
    }


def _entry(name: str, data: str | None) -> dict[str, Any]:
    entry: dict[str, Any] = {"source": source_of(data, FILES.get(name, name)), "name": name}
    if name in DROP:
        entry["drop"] = DROP[name]
    if name in KEEP_MISSING:
        entry["prepare"] = {"impute": "none"}
    return entry
