"""The tables of Zaffalon, Corani & Mauá (2012) as arrays."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

CLASSIFIERS = ("NCC", "LNCC", "CMA", "CDT")


def published_scores(file: Path, table: int) -> np.ndarray:
    """Scores by data set and classifier (NCC, LNCC, CMA, CDT) of one of Tables 12 to 19."""
    by_set: dict[str, dict[str, float]] = {}
    with file.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            if row["table"] == str(table):
                value = float(row["value"]) if row["value"] else np.nan
                by_set.setdefault(row["dataset"], {})[row["classifier"]] = value
    return np.array([[scores[name] for name in CLASSIFIERS] for scores in by_set.values()])
