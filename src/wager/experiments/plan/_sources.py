"""Where data comes from: files found and fingerprinted, OpenML, models that generate it.

A source says *what* the data is, apart from its name and place: the digest of a file's content, or
the generator with its parameters.  So a unit is known again when a file has moved, and is new when
the file has changed.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wager.experiments.plan._keys import digest_of_file, random_state_of
from wager.prepare import BUNDLED, ENDINGS, Dataset, load_dataset

if TYPE_CHECKING:
    from wager.experiments.generators import BayesianNetwork, ChiSquareClasses, Mixture
    from wager.experiments.plan._plan import DataSpec, Plan

__all__ = ["Source", "find_generator", "sources_of"]


@dataclass(frozen=True)
class Source:
    """One data set: what it is called, what it is, and how to get at it."""

    name: str
    what: Mapping[str, Any]
    path: str  # what load_dataset takes; empty for a generator

    @property
    def bulk(self) -> float:
        """About how much data it is, for guesses of time: the bytes of its file, or else 1."""
        return _bytes_of(self.path)

    def load(self) -> Dataset:
        """The rows that have a class, without the columns that are to be dropped."""
        data = load_dataset(self.path, target=self.what.get("target"))
        return _without(data, self.what.get("drop", ()))

    def model(self, seed: int) -> BayesianNetwork | ChiSquareClasses | Mixture:
        """The model that generates the data."""
        make = find_generator(self.what["generator"], self.what["params"])
        return make(np.random.default_rng(random_state_of([self.what, seed])))


@cache
def _bytes_of(path: str) -> float:
    file = Path(path)
    return float(file.stat().st_size) if path and file.is_file() else 1.0


def sources_of(plan: Plan) -> list[tuple[DataSpec, Source]]:
    """Every data set of a plan, in order; two of the same name are refused."""
    found = [(spec, source) for spec in plan.datasets for source in _sources(spec, plan)]
    seen: dict[str, Source] = {}
    for _, source in found:
        if source.name in seen:
            raise ValueError(
                f"two data sets are called {source.name!r} ({seen[source.name].path} and "
                f"{source.path}): give one of them another name"
            )
        seen[source.name] = source
    return found


def _sources(spec: DataSpec, plan: Plan) -> Iterator[Source]:
    if spec.generator is not None:
        width = len(str(spec.models - 1))
        for number in range(spec.models):
            base = spec.name or spec.generator
            name = f"{base}-{number:0{width}d}" if spec.models > 1 else base
            yield Source(
                name, {"generator": spec.generator, "params": spec.params, "model": number}, ""
            )
        return
    options: dict[str, Any] = {}
    if spec.target is not None:
        options["target"] = spec.target
    if spec.drop:
        options["drop"] = list(spec.drop)
    places = list(_places(str(spec.source), plan))
    for path in places:
        if isinstance(path, Path):
            source = Source(_stem(path), {"file": digest_of_file(path), **options}, str(path))
        else:
            source = Source(path.removeprefix("openml:"), {"public": path, **options}, path)
        yield replace(source, name=spec.name) if spec.name and len(places) == 1 else source


def _places(text: str, plan: Plan) -> Iterator[Path | str]:
    """The files that a name, a path, a folder or a pattern stands for; public sets as text."""
    if text.startswith("openml:") or text.isdigit():
        yield text if text.startswith("openml:") else f"openml:{text}"
        return
    folders = _folders(plan)
    for folder in folders:
        whole = folder / text
        if whole.is_file():
            yield whole
            return
        files = _files_like(whole)
        if files:
            yield from files
            return
        for ending in ENDINGS:
            if (folder / f"{text}{ending}").is_file():
                yield folder / f"{text}{ending}"
                return
    if text.replace("-", "_") in BUNDLED:
        yield text
        return
    looked = " or ".join(str(folder) for folder in folders)
    raise ValueError(
        f"there is no data set {text!r} in {looked}, nor among scikit-learn's "
        f"({', '.join(BUNDLED)}): name its folder as data or in WAGER_DATA; 'openml:{text}' would "
        "look on OpenML"
    )


def _folders(plan: Plan) -> list[Path]:
    """Where to look, in order: where the plan says, beside it, where the environment says."""
    beside = Path(plan.folder)
    if plan.data is not None:
        return [beside / plan.data, beside]
    elsewhere = os.environ.get("WAGER_DATA")
    return [beside] if not elsewhere else [beside, beside / elsewhere]


def _files_like(whole: Path) -> list[Path]:
    """The data files in a folder, or those that a pattern fits, by name."""
    if whole.is_dir():
        found = list(whole.iterdir())
    elif any(sign in str(whole) for sign in "*?["):
        found = list(Path(whole.anchor).glob(str(whole.relative_to(whole.anchor))))
    else:
        return []
    return sorted(file for file in found if file.name.endswith(ENDINGS))


def _stem(path: Path) -> str:
    return path.name.split(".", 1)[0]


def _without(data: Dataset, drop: Any) -> Dataset:
    for column in drop:
        if column not in data.columns:
            raise ValueError(
                f"{data.name} has no column {column!r} to drop: it has {', '.join(data.columns)}"
            )
    kept = [j for j, column in enumerate(data.columns) if column not in drop]
    return replace(
        data,
        columns=tuple(data.columns[j] for j in kept),
        values=tuple(data.values[j] for j in kept),
        levels=tuple(data.levels[j] for j in kept),
    )


def find_generator(name: str, params: Mapping[str, Any]) -> Callable[..., Any]:
    """The function that makes a model, with its parameters; they are checked by name.

    Examples
    --------
    >>> find_generator("random-tan", {"n_values": [2, 2]})(0).n_values.max().item()
    2
    """
    from wager.experiments import generators

    names = {
        made.replace("_", "-"): getattr(generators, made)
        for made in generators.__all__
        if made.startswith("random_")
    }
    if name not in names:
        near = get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"choose one of {', '.join(sorted(names))}"
        raise ValueError(f"there is no generator {name!r}: {hint}")
    wanted = [key for key in inspect.signature(names[name]).parameters if key != "random_state"]
    for key in params:
        if key not in wanted:
            near = get_close_matches(key, wanted, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"it takes {', '.join(wanted)}"
            raise ValueError(f"{name} has no parameter {key!r}: {hint}")
    return partial(names[name], **params)
