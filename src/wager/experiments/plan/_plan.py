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

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from itertools import groupby
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
    TypeAdapter,
    ValidationError,
    field_validator,
    model_serializer,
)

from wager._tables import Table, View, Viewed, limited_text
from wager._toml import parsed_toml
from wager.costs import costs_for_classes, read_costs
from wager.experiments.plan._check_data import PlannedLearner, SourceSize, data_faults
from wager.experiments.plan._code import code_of, modules_in, packages_of
from wager.experiments.plan._errors import list_faults, messages, without_faults
from wager.experiments.plan._learners import LearnerSpec
from wager.experiments.plan._measures import AVERAGE_COST, check_measure
from wager.experiments.plan._prepare import Preparation
from wager.experiments.plan._schemes import SCHEMES, CrossValidation, Scheme
from wager.experiments.plan._sources import DataSource, DataSpec, data_folders, find_sources
from wager.experiments.plan._units import Keep, Limits, Task, Unit

__all__ = ["Plan"]

ANY_SCHEME: TypeAdapter[Scheme] = TypeAdapter(Scheme)
DEFAULT_MEASURES = ("discounted_accuracy", "u65", "u80", "determinacy")
LONGEST = 31_536_000  # seconds of a time limit: a year
MOST_MEMORY = 10**18  # bytes of a memory limit
MOST_UNITS = 1_000_000
DEEPEST = 40  # tables inside tables
_LARGEST = 1 << 24  # characters of a plan
MEMORY_UNITS = {"kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12}


class Plan(Viewed, BaseModel):
    """What an experiment computes.

    Parameters
    ----------
    folder : path, optional
        The folder where relative paths start, by default the current one.
    imports : bool, default=True
        Whether the plan may name classes by dotted paths, which are imported; otherwise only the
        learners of ``wager`` can be used.
    **given
        The keys of a plan file.

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
    costs: str | None = None  # a cost file, by which the predictions are priced
    empty_cost: Annotated[float, Field(ge=0)] | None = None  # the cost of an empty set
    clip: float | str | None = None  # probabilities into [clip, 1 - clip] before logarithms
    predictions: bool = False  # keep the prediction of every row, as Parquet
    time_limit: Annotated[float, Field(gt=0, le=LONGEST)] | None = None  # seconds per unit
    # bytes per unit; "500 MB" in a file
    memory_limit: Annotated[int, Field(gt=0, le=MOST_MEMORY)] | None = None

    _folder: str = PrivateAttr(default="")
    _imports: bool = PrivateAttr(default=True)
    _file: str = PrivateAttr(default="")  # the name of the plan's file, for messages
    _keys: tuple[str, ...] = PrivateAttr(default=())  # of the data sets

    def __init__(
        self, *, folder: str | PathLike[str] | None = None, imports: bool = True, **given: Any
    ):
        try:
            super().__init__(**given)
        except ValidationError as problem:
            faults = messages(problem, given, _known_keys())
            raise ValueError(
                list_faults([*faults, *_other_faults(given, problem, folder, imports)])
            ) from None
        self._folder = str(Path(folder or "").resolve())
        self._imports = imports
        self._keys = _keys_of(given["datasets"])
        self._check()

    def _view(self) -> View:
        rows = [
            ["data sets", ", ".join(str(data.name or data.source) for data in self.datasets)],
            ["learners", ", ".join(self.learners)],
            ["scheme", f"{self.scheme.kind}, {self.scheme.n_splits} splits"],
            ["measures", ", ".join(self.measures)],
        ]
        return View(f"Plan({self.name!r})", [Table((), rows, "<<")])

    def __str__(self) -> str:
        return repr(self)

    @classmethod
    def load(cls, path: str | PathLike[str], *, imports: bool = True) -> Self:
        """Read a plan from a TOML file; relative paths in it start at the folder of the file.

        A plan runs code: it imports the classes that it names by dotted paths.  With
        ``imports=False`` such a plan is refused before anything is imported.
        """
        file = Path(path)
        try:
            text = limited_text(file, _LARGEST)
        except FileNotFoundError:
            raise ValueError(f"there is no plan {file}: name a TOML file") from None
        except IsADirectoryError:
            raise ValueError(f"{file} is a folder: name the TOML file of a plan in it") from None
        except OSError as problem:
            raise ValueError(f"cannot read the plan {file}: {problem.strerror}") from None
        except UnicodeDecodeError:
            raise ValueError(f"cannot read the plan {file}: it is not UTF-8 text") from None
        try:
            given = parsed_toml(text)
            _require_shallow(given)
            if "folder" in given:
                raise ValueError("folder is not a key of a plan: did you mean data?")
            if "imports" in given:
                raise ValueError("imports is not a key of a plan: use the option --no-import")
            folder = file.resolve().parent
            plan = cls(**{"name": file.stem, **given}, folder=folder, imports=imports)
        except tomllib.TOMLDecodeError as problem:
            raise ValueError(f"{file.name} is not valid TOML: {problem}") from None
        except RecursionError:
            raise ValueError(
                f"{file.name} has tables or lists that are nested too deeply"
            ) from None
        except ValueError as problem:
            raise ValueError(_in_file(file.name, str(problem))) from None
        plan._file = file.name
        return plan

    @field_validator("datasets", mode="before")
    @classmethod
    def _read_datasets(cls, given: Any) -> Any:
        if isinstance(given, dict) and given and all(isinstance(e, dict) for e in given.values()):
            return [{"name": name, **entry} for name, entry in given.items()]  # [datasets.wine]
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
        except (KeyError, ValueError, OverflowError):
            raise ValueError("must be a number of bytes, or text like '500 MB' or '2 GB'") from None

    @model_serializer(mode="wrap")
    def _written(self, write: Any) -> dict[str, Any]:
        """The plan as data; without costs it is written as by versions that did not know them."""
        data: dict[str, Any] = write(self)
        unused = [name for name in ("costs", "empty_cost") if data.get(name) is None]
        return {name: value for name, value in data.items() if name not in unused}

    @property
    def folder(self) -> str:
        """The folder where relative paths start and modules with further learners are found."""
        return self._folder

    @property
    def keep(self) -> Keep:
        """What is stored of each unit besides its tally."""
        return Keep(self.probabilities, self.predictions, self.costs is not None)

    @property
    def costs_path(self) -> Path | None:
        """The cost file of the plan."""
        return None if self.costs is None else Path(self.folder) / self.costs

    def units(self) -> list[Unit]:
        """Every unit of the plan, ordered by data set, split and learner."""
        found, faults = self._sources()
        self._refuse(faults)
        known: dict[str, str] = {}
        with self.modules():
            variants = [
                (spec, label, what, code_of(what, known), packages_of(what))
                for spec, label, what in self.variants()
            ]
        units = []
        for _, spec, source in found:
            scheme = self._scheme_of(spec)
            identity, splits = scheme.identity(), list(scheme.splits())
            learners = [
                (
                    (label, what, self.preparation(spec, learner), self.seed, self.clip),
                    (code, tuple(sorted({*packages, *source.packages}))),
                )
                for learner, label, what, code, packages in variants
            ]
            units += [
                Unit(source, identity, split, *asked, *computed_by)
                for split in splits
                for asked, computed_by in learners
            ]
        return units

    def tasks(self, units: Iterable[Unit]) -> list[Task]:
        """Units of this plan, in its order, grouped by split."""
        limits = Limits(self.time_limit, self.memory_limit)
        groups = groupby(units, key=lambda unit: (unit.source.name, unit.split))
        folder = self.folder if self.import_paths() else ""
        return [Task(tuple(shared), limits, self.keep, folder) for _, shared in groups]

    def import_paths(self) -> list[str]:
        """The dotted paths of the classes that the plan imports."""
        return sorted({path for spec in self.learners.values() for path in spec.import_paths()})

    def check(self, units: Iterable[Unit] | None = None) -> dict[str, SourceSize]:
        """Load the data once and check all that can be checked before anything runs.

        Parameters
        ----------
        units : iterable of Unit, optional
            The units that are to be done, by default all; other data sets are not loaded.

        Returns
        -------
        dict of str to SourceSize
            The number of rows and columns of each data set that is not generated.

        Raises
        ------
        ValueError
            With a sentence for each fault, which names its key in the plan.
        """
        names = None if units is None else {unit.source.name for unit in units}
        sizes, faults = self._look_at_data(names)
        lacking = self._missing_libraries()
        self._refuse([*lacking, *faults, *self._costs_of_other_classes(sizes)])
        return sizes

    def preparation(self, data: DataSpec, learner: LearnerSpec) -> Preparation:
        """The preparation of the plan, changed by the data set and then by the learner."""
        return Preparation(**{**self.prepare.model_dump(), **data.prepare, **learner.prepare})

    def _scheme_of(self, data: DataSpec) -> Scheme:
        """The scheme of the plan, changed by the data set."""
        if not data.scheme:
            return self.scheme
        return ANY_SCHEME.validate_python({**self.scheme.model_dump(), **data.scheme})

    def variants(self) -> Iterator[tuple[LearnerSpec, str, dict[str, Any]]]:
        """Every learner of every grid, with its label and its identity."""
        for name, spec in self.learners.items():
            for label, what in spec.variants(name):
                yield spec, label, what

    def modules(self) -> AbstractContextManager[None]:
        """A context in which modules in the folder of the plan can be imported."""
        return modules_in(self.folder)

    def _refuse(self, faults: list[str]) -> None:
        if faults:
            raise ValueError(_in_file(self._file, list_faults(faults)))

    def _check(self) -> None:
        """Check what pydantic cannot; if anything is wrong, list the faults of the data as well."""
        forbidden = [
            *(self._wrong_schemes() or self._too_many_units()),
            *self._forbidden_imports(),
        ]
        if forbidden:  # all else would take too long, or import
            raise ValueError(list_faults(forbidden))
        faults = [
            *self._wrong_measures(),
            *self._wrong_costs(),
            *self._wrong_learners(),
            *self._learners_of_one_name(),
            *self._wrong_preparations(),
            *self._wrong_data(),
        ]
        if faults:
            more = self._look_at_data(None, online=False)[1] if not self._wrong_data() else []
            raise ValueError(list_faults([*faults, *more]))

    def _sources(self) -> tuple[list[tuple[str, DataSpec, DataSource]], list[str]]:
        """The data sets with their keys, and what is wrong with them."""
        keyed = zip(self._keys, self.datasets, strict=True)
        return find_sources(keyed, data_folders(self.folder, self.data))

    def _look_at_data(
        self, names: set[str] | None, *, online: bool = True
    ) -> tuple[dict[str, SourceSize], list[str]]:
        """The sizes and faults of the data sets with these names; without OpenML if not online."""
        found, faults = self._sources()
        learners = list(self._usable_learners())
        wanted = [
            (key, source, self._scheme_of(spec), list(self._planned(spec, learners)))
            for key, spec, source in found
            if (names is None or source.name in names)
            and (online or not source.path.startswith("openml:"))
        ]
        sizes, more = data_faults(wanted)
        return sizes, [*faults, *more]

    def _usable_learners(self) -> Iterator[tuple[str, LearnerSpec, Any]]:
        """The first learner of each grid, if it can be made, with its key."""
        for name, spec in self.learners.items():
            with suppress(Exception), self.modules():
                yield f"learners.{name}", spec, spec.first()

    def _planned(
        self, data: DataSpec, learners: Iterable[tuple[str, LearnerSpec, Any]]
    ) -> Iterator[PlannedLearner]:
        """The learners with their preparation of a data set, where that is valid."""
        for key, spec, learner in learners:
            with suppress(ValidationError):
                yield PlannedLearner(key, spec.learner, learner, self.preparation(data, spec))

    def _wrong_schemes(self) -> list[str]:
        """Problems of the changes to the scheme."""
        faults: list[str] = []
        for key, data in zip(self._keys, self.datasets, strict=True):
            if data.scheme.get("kind", self.scheme.kind) != self.scheme.kind:
                faults.append(
                    f"{key}.scheme.kind must be that of the plan, {self.scheme.kind!r}, got "
                    f"{data.scheme['kind']!r}: use a separate plan for another kind of scheme"
                )
                continue
            try:
                self._scheme_of(data)
            except ValidationError as problem:
                faults += messages(problem, data.scheme, _known_keys(), f"{key}.scheme")
        return faults

    def _too_many_units(self) -> Iterator[str]:
        n_learners = sum(spec.n_variants for spec in self.learners.values())
        n_splits = sum(self._scheme_of(data).n_splits * data.models for data in self.datasets)
        if n_splits * n_learners > MOST_UNITS:
            yield (
                f"scheme: the plan has more than {MOST_UNITS:,} units, too many for one store: use "
                "fewer repeats, folds, sizes, models or learners of a grid"
            )

    def _forbidden_imports(self) -> Iterator[str]:
        if self._imports:
            return
        for name, spec in self.learners.items():
            for path in spec.import_paths():
                yield (
                    f"learners.{name}: {path!r} would be imported, which --no-import forbids: use "
                    "one of wager's learners, or allow imports if you trust the plan"
                )

    def _wrong_measures(self) -> Iterator[str]:
        for name in self.measures:
            try:
                check_measure(name)
            except ValueError as problem:
                yield f"measures: {problem}"

    def _wrong_costs(self) -> Iterator[str]:
        if self.costs_path is None:
            if self.empty_cost is not None:
                yield "empty_cost is the cost of an empty set: name a cost file with costs"
            if AVERAGE_COST in self.measures:
                yield f"measures: {AVERAGE_COST} needs costs: name a cost file with costs"
            return
        try:
            read_costs(self.costs_path)
        except ValueError as problem:
            yield f"costs: {problem}"

    def _costs_of_other_classes(self, sizes: Mapping[str, SourceSize]) -> Iterator[str]:
        """The reason why the costs fit none of the data sets, if that is so."""
        if self.costs_path is None or not sizes:
            return
        costs = read_costs(self.costs_path)
        reasons = []
        for name, size in sizes.items():
            try:
                costs_for_classes(costs, size.classes, name)
            except ValueError as problem:
                reasons.append(f"costs: {problem}")
        if len(reasons) == len(sizes):
            yield reasons[0]

    def _wrong_learners(self) -> Iterator[str]:
        for name, spec in self.learners.items():
            try:
                with self.modules():
                    spec.check()
            except ValueError as problem:
                yield f"learners.{name}: {_first_line(problem)}"
            except ImportError:  # a plan can be read without the libraries that its run needs
                continue
            except Exception as problem:  # the class may be the user's
                yield (
                    f"learners.{name}: {spec.learner} cannot be made with these parameters "
                    f"({type(problem).__name__}: {_first_line(problem)})"
                )

    def _learners_of_one_name(self) -> Iterator[str]:
        """Learners whose results would be taken for those of one."""
        known: set[str] = set()
        for name, spec in self.learners.items():
            for label, _ in spec.variants(name):
                if label in known:
                    yield (
                        f"learners.{name}: two learners are called {label!r}: list each value of "
                        "a grid once, or give the other learner another name"
                    )
                    break
                known.add(label)

    def _missing_libraries(self) -> Iterator[str]:
        for name, spec in self.learners.items():
            try:
                with self.modules():
                    spec.check()
            except ImportError as problem:
                yield f"learners.{name}: {_first_line(problem)}"

    def _wrong_data(self) -> list[str]:
        faults = []
        for key, data in zip(self._keys, self.datasets, strict=True):
            try:
                data.check(self.scheme.kind)
            except ValueError as problem:
                faults.append(f"{key}: {problem}")
        return faults

    def _wrong_preparations(self) -> Iterator[str]:
        """Problems of the changes to the preparation, separately and then combined."""
        keyed = list(zip(self._keys, self.datasets, strict=True))
        changes = {key: data.prepare for key, data in keyed}
        changes |= {f"learners.{name}": spec.prepare for name, spec in self.learners.items()}
        alone = [
            line
            for where, change in changes.items()
            if change
            for line in self._wrong_change(where, change)
        ]
        yield from alone
        if not alone:
            for key, data in keyed:
                for name, spec in self.learners.items():
                    if data.prepare and spec.prepare:  # one alone was looked at above
                        where = f"learners.{name} on {key}"
                        yield from self._wrong_change(where, data.prepare | spec.prepare)

    def _wrong_change(self, where: str, change: dict[str, Any]) -> Iterator[str]:
        try:
            Preparation(**{**self.prepare.model_dump(), **change})
        except ValidationError as problem:
            yield from messages(problem, change, _known_keys(), f"{where}.prepare")


def _known_keys() -> dict[str, set[str]]:
    """The keys of each part of a plan, to suggest one when a key is misspelt."""
    parts: dict[str, tuple[type[BaseModel], ...]] = {
        "": (Plan,),
        "scheme": SCHEMES,
        "prepare": (Preparation,),
        "datasets": (DataSpec,),
        "learners": (LearnerSpec,),
    }
    return {
        part: {name for model in models for name in model.model_fields}
        for part, models in parts.items()
    }


def _keys_of(datasets: Any) -> tuple[str, ...]:
    """The key of each data set: datasets.0 in a list, datasets.wine in a table of tables."""
    if isinstance(datasets, dict):
        named = all(isinstance(entry, dict) for entry in datasets.values())
        return tuple(f"datasets.{name}" for name in datasets) if named else ("datasets",)
    if isinstance(datasets, list | tuple):
        return tuple(f"datasets.{place}" for place in range(len(datasets)))
    return ("datasets",)


def _other_faults(
    given: dict[str, Any],
    problem: ValidationError,
    folder: str | PathLike[str] | None,
    imports: bool,
) -> list[str]:
    """The faults of the plan without the parts that pydantic refused."""
    rest = without_faults(problem, given)
    if rest is None:
        return []
    try:
        Plan(folder=folder, imports=imports, **rest).check()
    except ValueError as other:
        return str(other).splitlines()
    return []


def _in_file(name: str, faults: str) -> str:
    """The faults, one per line, with the name of the file in front."""
    return "\n".join(f"{name}: {line}" if name else line for line in faults.splitlines())


def _first_line(problem: Exception) -> str:
    return next(iter(str(problem).splitlines()), "")


def _require_shallow(given: Any) -> None:
    """Raise a RecursionError for tables that later steps could not walk through."""
    level = [given]
    for _ in range(DEEPEST):
        level = [inner for outer in level for inner in _inside(outer)]
    if level:
        raise RecursionError


def _inside(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
