"""The plan of an experiment: data sets, preparation, learners, scheme and measures.

A plan is a TOML file::

    seed = 1
    datasets = ["iris", "data/*.arff", { source = "zoo.arff", drop = ["animal"] }]
    measures = ["u65", "u80", "determinacy"]
    time_limit = 600                      # seconds per unit

    [scheme]
    kind = "cross-validation"             # or 5x2, holdout, downsample, generate
    folds = "weka"                        # or stratified
    n_folds = 10
    repeats = 10

    [prepare]
    impute = "once"
    discretize = "mdl"
    single_bin = "drop"

    [learners.nbc]
    learner = "naive-bayes"

    [learners.ncc]
    learner = "naive-credal"
    params.epsilon = 0.01
    grid.s = [1, 2]                       # ncc[s=1] and ncc[s=2]
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import groupby
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError, field_validator

from wager.experiments.plan._errors import messages
from wager.experiments.plan._learners import LearnerSpec
from wager.experiments.plan._measures import check_measure
from wager.experiments.plan._prepare import Preparation
from wager.experiments.plan._schemes import SCHEMES, CrossValidation, Scheme
from wager.experiments.plan._sources import DataSpec, data_folders, find_sources
from wager.experiments.plan._units import Keep, Limits, Task, Unit

__all__ = ["Plan"]

DEFAULT_MEASURES = ("discounted_accuracy", "u65", "u80", "determinacy")
MEMORY_UNITS = {"kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12}


class Plan(BaseModel):
    """What an experiment computes.

    Examples
    --------
    >>> plan = Plan(datasets=["iris"], learners={"nbc": {"learner": "naive-bayes"}},
    ...             scheme={"kind": "cross-validation", "repeats": 2})
    >>> len(plan.units())
    20
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = "plan"
    seed: int = 1
    data: str | None = None  # the folder of data sets that are found by name
    datasets: Annotated[tuple[DataSpec, ...], Field(min_length=1)]
    learners: Annotated[dict[str, LearnerSpec], Field(min_length=1)]
    scheme: Scheme = CrossValidation()
    prepare: Preparation = Preparation()
    measures: Annotated[tuple[str, ...], Field(min_length=1)] = DEFAULT_MEASURES
    probabilities: bool = True  # keep what scores of probabilities need
    clip: float | str | None = None  # probabilities into [clip, 1 - clip] before logarithms
    predictions: bool = False  # keep the prediction of every row, as Parquet
    time_limit: Annotated[float, Field(gt=0)] | None = None  # seconds per unit
    memory_limit: Annotated[int, Field(gt=0)] | None = None  # bytes per unit; "500 MB" in a file

    _folder: str = PrivateAttr(default="")

    def __init__(self, *, folder: str | PathLike[str] | None = None, **given: Any):
        try:
            super().__init__(**given)
        except ValidationError as problem:
            raise ValueError(messages(problem, given, _known_keys())) from None
        self._folder = str(Path(folder or "").resolve())
        self._check()

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a plan from a TOML file; relative paths in it start at the folder of the file."""
        file = Path(path)
        try:
            text = file.read_text(encoding="utf-8")
        except OSError as problem:
            raise ValueError(f"cannot read the plan {file}: {problem.strerror}") from None
        except UnicodeDecodeError:
            raise ValueError(f"cannot read the plan {file}: it is not UTF-8 text") from None
        try:
            given = tomllib.loads(text)
            if "folder" in given:
                raise ValueError("folder is not a key of a plan: did you mean data?")
            return cls(**{"name": file.stem, **given}, folder=file.resolve().parent)
        except tomllib.TOMLDecodeError as problem:
            raise ValueError(f"{file.name} is not valid TOML: {problem}") from None
        except ValueError as problem:
            lines = (f"{file.name}: {line}" for line in str(problem).splitlines())
            raise ValueError("\n".join(lines)) from None

    @field_validator("datasets", mode="before")
    @classmethod
    def _read_datasets(cls, given: Any) -> Any:
        entries = given if isinstance(given, list | tuple) else [given]
        return [{"source": e} if isinstance(e, str | int | Path) else e for e in entries]

    @field_validator("learners", mode="before")
    @classmethod
    def _read_learners(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        return {k: {"learner": v} if isinstance(v, str) else v for k, v in given.items()}

    @field_validator("scheme", mode="before")
    @classmethod
    def _read_scheme(cls, given: Any) -> Any:
        if isinstance(given, str):
            return {"kind": given}
        return {"kind": "cross-validation"} | given if isinstance(given, dict) else given

    @field_validator("clip")
    @classmethod
    def _read_clip(cls, given: Any) -> Any:
        if given in (None, "unseen") or (isinstance(given, float) and 0 < given < 0.5):
            return given
        raise ValueError("must lie strictly between 0 and 0.5, or be 'unseen'")

    @field_validator("memory_limit", mode="before")
    @classmethod
    def _read_memory(cls, given: Any) -> Any:
        if not isinstance(given, str):
            return given
        number, unit = given.strip()[:-2], given.strip()[-2:].lower()
        try:
            return int(float(number) * MEMORY_UNITS[unit])
        except (KeyError, ValueError):
            raise ValueError("must be a number of bytes, or text like '500 MB' or '2 GB'") from None

    @property
    def folder(self) -> str:
        """The folder where relative paths start and modules with further learners are found."""
        return self._folder

    @property
    def keep(self) -> Keep:
        """What is stored of each unit besides its tally."""
        return Keep(self.probabilities, self.predictions)

    def units(self) -> list[Unit]:
        """Every unit of the plan, ordered by data set, split and learner."""
        scheme, splits = self.scheme.identity(), list(self.scheme.splits())
        units = []
        for spec, source in find_sources(self.datasets, data_folders(self.folder, self.data)):
            learners = [
                (label, what, self.preparation(spec, learner))
                for learner, label, what in self.variants()
            ]
            units += [
                Unit(source, scheme, split, label, what, preparation, self.seed, self.clip)
                for split in splits
                for label, what, preparation in learners
            ]
        return units

    def tasks(self, units: Iterable[Unit]) -> list[Task]:
        """Units of this plan, in its order, grouped by split."""
        limits = Limits(self.time_limit, self.memory_limit)
        groups = groupby(units, key=lambda unit: (unit.source.name, unit.split))
        return [Task(tuple(shared), limits, self.keep, self.folder) for _, shared in groups]

    def preparation(self, data: DataSpec, learner: LearnerSpec) -> Preparation:
        """The preparation of the plan, changed by the data set and then by the learner."""
        return Preparation(**{**self.prepare.model_dump(), **data.prepare, **learner.prepare})

    def variants(self) -> Iterator[tuple[LearnerSpec, str, dict[str, Any]]]:
        """Every learner of every grid, with its label and its identity."""
        for name, spec in self.learners.items():
            for label, what in spec.variants(name):
                yield spec, label, what

    @contextmanager
    def modules(self) -> Iterator[None]:
        """A context in which modules in the folder of the plan can be imported."""
        sys.path.insert(0, self.folder)
        try:
            yield
        finally:
            sys.path.remove(self.folder)

    def _check(self) -> None:
        """Check what pydantic cannot, and report every problem in a line."""
        problems = [
            *self._wrong_measures(),
            *self._wrong_learners(),
            *self._wrong_preparations(),
            *self._wrong_data(),
        ]
        if problems:
            raise ValueError("\n".join(problems))

    def _wrong_measures(self) -> Iterator[str]:
        for name in self.measures:
            try:
                check_measure(name)
            except ValueError as problem:
                yield f"measures: {problem}"

    def _wrong_learners(self) -> Iterator[str]:
        for name, spec in self.learners.items():
            try:
                with self.modules():
                    spec.check()
            except ValueError as problem:
                yield f"learners.{name}: {problem}"

    def _wrong_data(self) -> Iterator[str]:
        for position, data in enumerate(self.datasets):
            try:
                data.check(self.scheme.kind)
            except ValueError as problem:
                yield f"datasets.{position}: {problem}"

    def _wrong_preparations(self) -> Iterator[str]:
        """Problems of the changes to the preparation, separately and then combined."""
        changes = {f"datasets.{i}": data.prepare for i, data in enumerate(self.datasets)}
        changes |= {f"learners.{name}": spec.prepare for name, spec in self.learners.items()}
        alone = [
            line for where, change in changes.items() for line in self._wrong_change(where, change)
        ]
        yield from alone
        if not alone:
            for i, data in enumerate(self.datasets):
                for name, spec in self.learners.items():
                    where = f"learners.{name} on datasets.{i}"
                    yield from self._wrong_change(where, data.prepare | spec.prepare)

    def _wrong_change(self, where: str, change: dict[str, Any]) -> Iterator[str]:
        try:
            Preparation(**{**self.prepare.model_dump(), **change})
        except ValidationError as problem:
            yield from messages(problem, change, _known_keys(), f"{where}.prepare").splitlines()


def _known_keys() -> set[str]:
    """All keys of a plan, to suggest one when a key is misspelt."""
    models: list[type[BaseModel]] = [Plan, DataSpec, LearnerSpec, Preparation, *SCHEMES]
    return {name for model in models for name in model.model_fields}
