"""Reference cases: how a file is split into cases, and which check belongs to which kind.

A module of ``tests/reference/kinds`` registers both for its folder or its golden kinds::

    @check("golden/utility_values")
    def utility_values(case): ...

A golden file is a list of cases and needs no separate splitter.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDERS = ("golden", "klar", "weka", "ncc_peer", "imptree")
NOT_CASES = ("published",)  # tables that cases refer to


@dataclass(frozen=True)
class Case:
    """One reference case: its file, its kind and its data."""

    folder: str
    file: Path
    kind: str
    name: str
    root: Path
    data: Any = field(repr=False)

    @property
    def id(self) -> str:
        return "-".join(part for part in (self.folder, self.file.stem, self.name) if part)


Part = tuple[str, str, Any]  # kind, name, data
CHECKS: dict[str, Callable[[Case], None]] = {}
SPLITTERS: dict[str, Callable[[Path], Iterator[Part]]] = {}


def check(*kinds: str):
    """Register a function as the check of these kinds."""

    def register(function: Callable[[Case], None]):
        for kind in kinds:
            assert kind not in CHECKS, f"two checks for the kind {kind}"
            CHECKS[kind] = function
        return function

    return register


def splitter(folder: str):
    """Register a function that turns a file of this folder into (kind, name, data) triples."""

    def register(function: Callable[[Path], Iterator[Part]]):
        SPLITTERS[folder] = function
        return function

    return register


@splitter("golden")
def _golden(file: Path) -> Iterator[Part]:
    entries = json.loads(file.read_text(encoding="utf-8"))
    for number, entry in enumerate(entries if isinstance(entries, list) else [entries]):
        about = entry if isinstance(entry, dict) else {}  # else a case of unknown kind
        yield f"golden/{about.get('kind')}", str(about.get("id", number)), entry


def discover(root: Path) -> list[Case]:
    """All cases in a reference folder; a file without a splitter is a case of unknown kind."""
    cases = []
    for folder in sorted(p for p in root.iterdir() if p.is_dir() and p.name not in NOT_CASES):
        for file in sorted(folder.rglob("*.json")) + sorted(folder.rglob("*.csv")):
            split = SPLITTERS.get(folder.name)
            if split is None:
                cases.append(Case(folder.name, file, folder.name, "", root, None))
                continue
            for kind, name, data in split(file):
                cases.append(Case(folder.name, file, kind, name, root, data))
    return cases
