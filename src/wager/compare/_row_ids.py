"""Checks of the ids by which the rows of prediction files are matched, in tables of a database."""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = ["refuse_duplicate_id", "refuse_lone_id"]


def refuse_duplicate_id(con: Any, table: str, path: Path) -> None:
    """Raise if an id occurs twice in the table of a file, whose columns are ``id`` and ``n``."""
    twice = con.execute(
        f"SELECT id, min(n), max(n) FROM {table} GROUP BY id HAVING count(*) > 1 ORDER BY 2 LIMIT 1"
    ).fetchone()
    if twice:
        raise ValueError(
            f"{path}: duplicate id {twice[0]} in rows {twice[1]} and {twice[2]}: rows are matched "
            "by id, so give every row its own"
        )


def refuse_lone_id(con: Any, tables: tuple[str, str], paths: tuple[Path, Path]) -> None:
    """Raise if one of two files has an id that the other lacks."""
    for have, lack in ((0, 1), (1, 0)):
        alone = con.execute(
            f"SELECT id, n FROM {tables[have]} ANTI JOIN {tables[lack]} USING (id) ORDER BY n "
            "LIMIT 1"
        ).fetchone()
        if alone:
            raise ValueError(
                f"{paths[have]} has the id {alone[0]} (row {alone[1]}) but {paths[lack]} does not: "
                "compare predictions of the same rows"
            )
