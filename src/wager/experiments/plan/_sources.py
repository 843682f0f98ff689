"""Data sources: files, public data sets, and generators of models.

The identity of a source is independent of its name and place: it is the digest of the content of
a file, or a generator with its parameters.  A unit is therefore recognised when a file has moved,
and is new when the file has changed.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_serializer

import wager.experiments.generators as generators
from wager._tables import counted, nearest_name
from wager._visible import brief
from wager.experiments._generating_models import Model
from wager.experiments.plan._keys import digest_of_file, random_state_of
from wager.prepare import BUNDLED, ENDINGS, Dataset, load_dataset

__all__ = ["DataSource", "DataSpec", "data_folders", "find_generator", "find_sources", "is_found"]


class DataSpec(BaseModel):
    """One or several data sets as a plan names them.

    ``source`` is a name or path as `load_dataset` takes it, a folder, or a pattern such as
    ``data/*.arff``.  ``generator`` names a function of ``wager.experiments.generators``; it is
    called with ``params`` once for each of ``models`` models.  ``rows`` are the positions of the
    rows to use, in this order: folds depend on the order of the rows.  ``prepare`` and ``scheme``
    are changes to those of the plan.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str | int | None = None
    generator: str | None = None
    name: str | None = None
    target: str | None = None
    drop: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    models: Annotated[int, Field(ge=1)] = 1
    params: dict[str, Any] = {}
    prepare: dict[str, Any] = {}
    scheme: dict[str, Any] = {}

    @model_serializer(mode="wrap")
    def _written(self, write: Any) -> dict[str, Any]:
        """As data; without ``rows`` or ``scheme`` as by versions that did not know them."""
        data: dict[str, Any] = write(self)
        return {k: value for k, value in data.items() if value or k not in ("rows", "scheme")}

    def check(self, scheme_kind: str) -> None:
        """Raise a ValueError unless this is one kind of source, and fits the scheme."""
        if (self.source is None) == (self.generator is None):
            raise ValueError("a data set must have either a source or a generator")
        if (self.generator is not None) != (scheme_kind == "generate"):
            raise ValueError(
                "generators need scheme.kind = 'generate', and that scheme needs generators, got "
                f"scheme.kind = {scheme_kind!r}"
            )
        if self.generator is not None:
            find_generator(self.generator, self.params)


@dataclass(frozen=True)
class DataSource:
    """One data set: its name, its identity, and where to load it from."""

    name: str
    what: Mapping[str, Any]  # the identity: no name, no place
    path: str  # the argument of load_dataset; empty for a generator

    @property
    def packages(self) -> tuple[str, ...]:
        """The package that brings the data along, if there is one."""
        bundled = "public" in self.what and not self.path.startswith("openml:")
        return ("scikit-learn",) if bundled else ()

    @property
    def place(self) -> str:
        """The name of the file, or the data set as the plan names it."""
        return Path(self.path).name if "file" in self.what else self.path or self.name

    def load(self) -> Dataset:
        """The rows that have a class, without the dropped columns.

        Raises
        ------
        ValueError
            If the file is not the one that this source was made from.
        """
        if "file" not in self.what:
            return self.without_dropped(self.load_all_columns())
        before = _state_of(self.path)
        if digest_of_file(Path(self.path)) == self.what["file"]:
            data = self.load_all_columns()
            if _state_of(self.path) == before:
                return self.without_dropped(data)
        raise ValueError(
            f"{self.place} was changed after the run had started: run the plan again with --retry, "
            "and leave its files as they are until it is done"
        )

    def load_all_columns(self) -> Dataset:
        """The rows that have a class, or those that the plan chooses of them."""
        data = load_dataset(self.path, target=self.what.get("target"))
        return _in_order(data, self.what["rows"]) if "rows" in self.what else data

    def without_dropped(self, data: Dataset) -> Dataset:
        """The data set without the columns that the plan drops."""
        return _without(data, self.what.get("drop", ()))

    def model(self, seed: int) -> Model:
        """The model that generates the data."""
        make = find_generator(self.what["generator"], self.what["params"])
        return make(np.random.default_rng(random_state_of([self.what, seed])))


def _state_of(path: str) -> tuple[int, ...]:
    """What changes whenever a file is written to or replaced."""
    found = Path(path).stat()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def find_sources(
    specs: Iterable[tuple[str, DataSpec]], folders: Sequence[Path]
) -> tuple[list[tuple[str, DataSpec, DataSource]], list[str]]:
    """Every data set of a plan, in order, each with its key in the plan; and what is wrong."""
    found: list[tuple[str, DataSpec, DataSource]] = []
    faults: list[str] = []
    seen: dict[str, DataSource] = {}
    for key, spec in specs:
        try:
            sources = list(_sources_of(spec, folders))
        except ValueError as problem:
            faults.append(f"{key}: {problem}")
            continue
        except OSError as problem:
            faults.append(f"{key}: cannot read {problem.filename}: {_reason(problem)}")
            continue
        for source in sources:
            if source.name in seen:
                faults.append(
                    f"{key}: two data sets are called {source.name!r} ({seen[source.name].path} "
                    f"and {source.path}): give one of them another name"
                )
            seen[source.name] = source
            found.append((key, spec, source))
    return found, faults


def _reason(problem: OSError) -> str:
    return (problem.strerror or "unknown reason").lower()


def data_folders(plan_folder: str, data: str | None) -> list[Path]:
    """The folders to search, in order: the plan's ``data``, the plan's own, ``WAGER_DATA``."""
    own = Path(plan_folder)
    if data is not None:
        return [own / data, own]
    elsewhere = os.environ.get("WAGER_DATA")
    return [own] if not elsewhere else [own, own / elsewhere]


def _sources_of(spec: DataSpec, folders: Sequence[Path]) -> Iterator[DataSource]:
    if spec.generator is not None:
        yield from _generated_sources(spec, spec.generator)
        return
    options: dict[str, Any] = {}
    if spec.target is not None:
        options["target"] = spec.target
    if spec.drop:
        options["drop"] = list(spec.drop)
    if spec.rows:
        options["rows"] = list(spec.rows)
    places = list(_places(str(spec.source), folders))
    for place in places:
        if isinstance(place, Path):
            name = place.name.split(".", 1)[0]
            source = DataSource(name, {"file": digest_of_file(place), **options}, str(place))
        else:
            name = place.removeprefix("openml:")
            source = DataSource(name, {"public": place, **options}, place)
        yield replace(source, name=spec.name) if spec.name and len(places) == 1 else source


def _generated_sources(spec: DataSpec, generator: str) -> Iterator[DataSource]:
    base, width = spec.name or generator, len(str(spec.models - 1))
    for number in range(spec.models):
        name = f"{base}-{number:0{width}d}" if spec.models > 1 else base
        yield DataSource(name, {"generator": generator, "params": spec.params, "model": number}, "")


def is_found(name: str, folders: Sequence[Path]) -> bool:
    """Whether a data set is in one of the folders, or comes with scikit-learn."""
    try:
        return next(_places(name, folders), None) is not None
    except ValueError:
        return False


def _places(text: str, folders: Sequence[Path]) -> Iterator[Path | str]:
    """The files that a name, path, folder or pattern refers to; public data sets as text."""
    if text.startswith("openml:") or text.isdigit():
        yield text if text.startswith("openml:") else f"openml:{text}"
        return
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
    searched = " or ".join(str(folder) for folder in folders)
    near = nearest_name(text, [*_data_files(text, folders), *BUNDLED])
    hint = (
        f"did you mean {near!r}?"
        if near
        else ("set its folder with data or WAGER_DATA, or write 'openml:{text}' to look on OpenML")
    )
    raise ValueError(
        f"there is no data set {brief(text)} in {searched}, nor among scikit-learn's "
        f"({', '.join(BUNDLED)}): {hint.format(text=text)}"
    )


def _data_files(text: str, folders: Sequence[Path]) -> list[str]:
    """The data files beside a file that does not exist, written as in the plan."""
    parent = Path(text).parent
    found = [file for folder in folders for file in _files_like(folder / parent)]
    return [str(parent / file.name) for file in found]


def _files_like(whole: Path) -> list[Path]:
    """The data files in a folder, or those that match a pattern, ordered by name."""
    if whole.is_dir():
        found = list(whole.iterdir())
    elif any(sign in str(whole) for sign in "*?["):
        found = list(Path(whole.anchor).glob(str(whole.relative_to(whole.anchor))))
    else:
        return []
    return sorted(file for file in found if file.name.endswith(ENDINGS))


def _without(data: Dataset, drop: Any) -> Dataset:
    for column in drop:
        if column not in data.columns:
            raise ValueError(
                f"{data.name} has no column {brief(column)} to drop: it has "
                f"{', '.join(data.columns)}"
            )
    kept = [j for j, column in enumerate(data.columns) if column not in drop]
    return replace(
        data,
        columns=tuple(data.columns[j] for j in kept),
        values=tuple(data.values[j] for j in kept),
        levels=tuple(data.levels[j] for j in kept),
    )


def _in_order(data: Dataset, rows: Sequence[int]) -> Dataset:
    chosen = np.asarray(rows, dtype=int)
    if chosen.min() < 0 or chosen.max() >= len(data):
        raise ValueError(
            f"{data.name} has {counted(len(data), 'row')}, numbered from 0, so rows cannot contain "
            f"{int(chosen.min() if chosen.min() < 0 else chosen.max())}"
        )
    return data.rows(chosen)


def find_generator(name: str, params: Mapping[str, Any]) -> Callable[..., Model]:
    """The function that makes a model, with its parameters filled in and their names checked.

    Examples
    --------
    >>> find_generator("random-tan", {"n_values": [2, 2]})(0).n_values.max().item()
    2
    """
    functions = {
        public.replace("_", "-"): getattr(generators, public)
        for public in generators.__all__
        if public.startswith("random_")
    }
    if name not in functions:
        near = get_close_matches(name, functions, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"choose one of {_names(functions)}"
        raise ValueError(f"there is no generator {brief(name)}: {hint}")
    parameters = [p for p in inspect.signature(functions[name]).parameters if p != "random_state"]
    for key in params:
        if key not in parameters:
            near = get_close_matches(key, parameters, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"it takes {', '.join(parameters)}"
            raise ValueError(f"{name} has no parameter {brief(key)}: {hint}")
    return partial(functions[name], **params)


def _names(functions: Mapping[str, Any]) -> str:
    return ", ".join(sorted(functions))
