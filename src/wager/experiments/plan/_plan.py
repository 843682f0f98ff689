"""The plan of an experiment: data sets, preparation, learners, scheme, measures.

A plan is a TOML file::

    seed = 1
    datasets = ["iris", "data/*.arff", { source = "zoo.arff", drop = ["animal"] }]
    measures = ["u65", "u80", "determinacy"]
    time_limit = 600                      # seconds a unit

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
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError, field_validator

from wager.experiments._measures import check_costs, check_measure, scorer_of
from wager.experiments.plan._errors import in_words
from wager.experiments.plan._prepare import Preparation
from wager.experiments.plan._schemes import CrossValidation, Scheme

__all__ = ["DataSpec", "LearnerSpec", "Plan"]

DEFAULT_MEASURES = ("discounted_accuracy", "u65", "u80", "determinacy")
UNITS = {"kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12}


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class DataSpec(_Part):
    """A data set, or several: a name, a file, a folder, OpenML, or a generator of models.

    ``source`` is what ``load_dataset`` takes, or a folder, or a pattern such as ``data/*.arff``.
    ``generator`` names a function of ``wager.experiments.generators``, called for each of
    ``models`` models with ``params``.
    """

    source: str | int | None = None
    generator: str | None = None
    name: str | None = None
    target: str | None = None
    drop: tuple[str, ...] = ()
    models: Annotated[int, Field(ge=1)] = 1
    params: dict[str, Any] = {}
    prepare: dict[str, Any] = {}


class LearnerSpec(_Part):
    """A learner with its parameters, a grid of further ones, and its own preparation.

    ``grid`` makes one learner of every combination.  ``tune`` lets each training set choose among
    the combinations by an inner cross-validation with ``tune_folds`` folds and ``tune_measure``.
    """

    learner: str
    params: dict[str, Any] = {}
    grid: dict[str, Annotated[list[Any], Field(min_length=1)]] = {}
    tune: dict[str, Annotated[list[Any], Field(min_length=1)]] = {}
    tune_measure: str = "u65"
    tune_folds: Annotated[int, Field(ge=2)] = 5
    prepare: dict[str, Any] = {}

    def variants(self, label: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Every learner this stands for: its label, and what identifies it."""
        for values in product(*self.grid.values()):
            chosen = dict(zip(self.grid, values, strict=True))
            inside = ", ".join(f"{key}={_short(value)}" for key, value in chosen.items())
            what: dict[str, Any] = {"learner": self.learner, "params": self.params | chosen}
            if self.tune:
                what |= {
                    "tune": self.tune,
                    "tune_measure": self.tune_measure,
                    "tune_folds": self.tune_folds,
                }
            yield f"{label}[{inside}]" if inside else label, what


class Plan(_Part):
    """What an experiment is to do.

    Examples
    --------
    >>> plan = Plan(datasets=["iris"], learners={"nbc": {"learner": "naive-bayes"}},
    ...             scheme={"kind": "cross-validation", "repeats": 2})
    >>> len(plan.units())
    20
    """

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
    predictions: bool = False  # keep every row's prediction, as Parquet
    time_limit: Annotated[float, Field(gt=0)] | None = None  # seconds a unit
    memory_limit: Annotated[int, Field(gt=0)] | None = None  # bytes a unit; "500 MB" in a file

    _folder: str = PrivateAttr(default="")  # where relative paths begin

    def __init__(self, *, folder: str | PathLike[str] | None = None, **given: Any):
        try:
            super().__init__(**given)
        except ValidationError as problem:
            raise ValueError(in_words(problem, given)) from None
        self._folder = str(Path(folder or "").resolve())
        self._check()

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a plan from a TOML file; relative paths in it begin at its folder."""
        file = Path(path)
        try:
            text = file.read_text(encoding="utf-8")
        except OSError as problem:
            raise ValueError(f"cannot read the plan {file}: {problem.strerror}") from None
        except UnicodeDecodeError:
            raise ValueError(f"cannot read the plan {file}: it is no UTF-8 text") from None
        try:
            given = tomllib.loads(text)
            if "folder" in given:
                raise ValueError("folder is no key of a plan: did you mean data?")
            return cls(**{"name": file.stem, **given}, folder=file.resolve().parent)
        except tomllib.TOMLDecodeError as problem:
            raise ValueError(f"{file.name} is no TOML: {problem}") from None
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
            return int(float(number) * UNITS[unit])
        except (KeyError, ValueError):
            raise ValueError("must be a number of bytes, or as '500 MB' or '2 GB'") from None

    @property
    def folder(self) -> str:
        """Where relative paths begin, and where modules with further learners may lie."""
        return self._folder

    def units(self) -> list[Any]:
        """Every unit of the plan, in order: data set, split, learner."""
        from wager.experiments.plan._units import units_of

        return units_of(self)

    def preparation(self, data: DataSpec, learner: LearnerSpec) -> Preparation:
        """The plan's preparation, as the data set and then the learner change it."""
        return Preparation(**{**self.prepare.model_dump(), **data.prepare, **learner.prepare})

    def variants(self) -> Iterator[tuple[LearnerSpec, str, dict[str, Any]]]:
        """Every learner, its label and what identifies it, grids spread out."""
        for name, spec in self.learners.items():
            for label, what in spec.variants(name):
                yield spec, label, what

    @contextmanager
    def modules(self) -> Iterator[None]:
        """While it lasts, modules beside the plan can be imported."""
        sys.path.insert(0, self.folder)
        try:
            yield
        finally:
            sys.path.remove(self.folder)

    def _check(self) -> None:
        """What only the whole plan can tell, each problem one line."""
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
        from wager.learners import make_learner

        for name, spec in self.learners.items():
            try:
                with self.modules():
                    for _, what in spec.variants(name):
                        made = make_learner(what["learner"], what["params"])
                        for key in spec.tune:
                            if key not in made.get_params():
                                raise ValueError(f"tune names {key!r}, which is no parameter")
                        if spec.tune:
                            scorer_of(made, spec.tune_measure)
                        check_costs(made)
            except ValueError as problem:
                yield f"learners.{name}: {problem}"

    def _wrong_preparations(self) -> Iterator[str]:
        changed = {f"datasets.{i}": data.prepare for i, data in enumerate(self.datasets)}
        changed |= {f"learners.{name}": spec.prepare for name, spec in self.learners.items()}
        alone = [line for where, what in changed.items() for line in self._wrong(where, what)]
        yield from alone
        if not alone:
            for i, data in enumerate(self.datasets):
                for name, spec in self.learners.items():
                    yield from self._wrong(
                        f"learners.{name} on datasets.{i}", data.prepare | spec.prepare
                    )

    def _wrong(self, where: str, what: dict[str, Any]) -> Iterator[str]:
        """What is wrong with changes to the plan's preparation."""
        try:
            Preparation(**{**self.prepare.model_dump(), **what})
        except ValidationError as problem:
            yield from in_words(problem, what, f"{where}.prepare").splitlines()

    def _wrong_data(self) -> Iterator[str]:
        for position, data in enumerate(self.datasets):
            where = f"datasets.{position}"
            if (data.source is None) == (data.generator is None):
                yield f"{where} must have either a source or a generator"
            elif (data.generator is not None) != (self.scheme.kind == "generate"):
                yield (
                    f"{where}: generators of models go with scheme.kind = 'generate', and that "
                    f"scheme with generators alone, got scheme.kind = {self.scheme.kind!r}"
                )
            elif data.generator is not None:
                from wager.experiments.plan._sources import find_generator

                try:
                    find_generator(data.generator, data.params)
                except ValueError as problem:
                    yield f"{where}: {problem}"


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return str(value.get("learner", value))
    return str(value)
