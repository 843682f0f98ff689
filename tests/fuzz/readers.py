"""Damaged files for every reader: bytes of valid files that are changed at random.

A case is a number: the same number gives the same reader and the same bytes.  Cases run in a child
process with little memory, so that a crash, a hang or a memory bomb is found and named:

    python -m tests.fuzz.readers FIRST STOP FOLDER

prints one line of JSON per fault, and the number of each case on standard error before it begins.
"""

from __future__ import annotations

import bz2
import faulthandler
import gzip
import io
import json
import random
import resource
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

MEMORY = 6 << 30  # bytes of address space, most of which libraries reserve without using it
SECONDS = 120  # after which a case hangs
LETTERS = [b"a", b"b", b"c", b"NA", b"", b'"', b"|", b",", b";", b"\t", b"\n", b"\r", b"\0"]
WORDS = [
    *LETTERS, b"-1", b"0", b"1e308", b"-1e-308", b"1e400", b"nan", b"inf", b"0.5", b"[", b"]", b"{",
    b"}", b"[[answer]]", b"null", b"true", b"\xff", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80",
    b"9" * 30, b"[" * 300, b"'", b"%", b"@data", b"\\", b"=", b"y_true", b"p:a", b"in:a", b"weight",
]  # fmt: skip
NUMBERS = [0, 1, 127, 128, 255, 2**15, 2**31 - 1, 2**31, 2**32, 2**40, 2**63 - 1, 2**64 - 1]


class Reader(NamedTuple):
    """A function that reads a file, the ending of its name, and valid content to start from."""

    call: Callable[[Path], Any]
    ending: str
    seeds: list[bytes]


def mutated(data: bytes, rng: random.Random) -> bytes:
    """The bytes with some changes: other bytes, words, numbers, parts left out or repeated."""
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 3, 8, 30])):
        at = rng.randrange(len(changed) + 1)
        way = rng.randrange(8)
        if way == 0 and at < len(changed):
            changed[at] ^= 1 << rng.randrange(8)
        elif way == 1 and at < len(changed):
            changed[at] = rng.randrange(256)
        elif way == 2:
            changed[at:at] = rng.choice(WORDS)
        elif way == 3:
            changed[at : at + rng.randrange(1, 9)] = rng.choice(WORDS)
        elif way == 4:
            size = rng.choice([4, 8])
            changed[at : at + size] = (rng.choice(NUMBERS) % 2 ** (8 * size)).to_bytes(
                size, "little"
            )
        elif way == 5:
            del changed[at : at + rng.choice([1, 2, 8, 40])]
        elif way == 6:
            part = changed[at : at + rng.choice([2, 8, 40])]
            changed[at:at] = part * rng.choice([1, 2, 20])
        elif rng.random() < 0.3:
            del changed[at:]
    return bytes(changed)


def readers() -> dict[str, Reader]:
    """Every reader of files and texts, by name."""
    import numpy as np

    from wager import Plan, get_utility, load_dataset
    from wager.compare import Monitor, PairedCosts, PairedProbabilities, SequentialState
    from wager.costs import CostTally, read_answers, read_costs
    from wager.predictions import scan_predictions
    from wager.rewards import ClassTally, PairedTally, ProbabilityTally, Tally

    def predictions(path: Path) -> None:
        file = scan_predictions(path)
        file.read()
        Tally.of_file(path)

    def data(path: Path) -> None:
        load_dataset(path, target="y_true" if path.suffix == ".parquet" else "y")

    def by_json(kind: Any) -> Callable[[Path], Any]:
        return lambda path: repr(kind.from_json(path.read_bytes()))

    y, other = ["a", "b", "c", "a"], ["a", "c", "c", "b"]
    proba = np.full((4, 3), 1 / 3)
    json_seeds: dict[type, Any] = {
        Tally: Tally.of(y, other),
        ClassTally: ClassTally.of(y, other),
        PairedTally: PairedTally.of(y, other, y),
        CostTally: CostTally.of(y, other),
        ProbabilityTally: ProbabilityTally.of(y, proba),
        PairedCosts: PairedCosts.of(y, other, y),
        PairedProbabilities: PairedProbabilities.of(y, proba, proba),
    }
    files = {
        f"{kind.__name__} JSON": (kind, [tally.to_json()]) for kind, tally in json_seeds.items()
    }
    files["SequentialState JSON"] = (SequentialState, [SequentialState().to_json()])
    files["Monitor JSON"] = (Monitor, [_monitor().to_json()])
    texts = {
        name: Reader(by_json(kind), "json", [text.encode() for text in seeds])
        for name, (kind, seeds) in files.items()
    }
    tables = _tables()
    rows = tables["csv"]
    table = b"x,z,y\n1.5,u,a\n?,v,b\n3,u,a\n"
    arff = (
        b"@relation r\n@attribute x numeric\n@attribute y {a,'b c'}\n@data\n1.5,a\n?,'b c'\n{0 2}\n"
    )
    costs = [
        b'classes = ["a", "b"]\ncosts = [[0, 1], [2, 0]]\nunit = "EUR"\n',
        b'classes = ["a", "b", "c"]\nkind = "ordinal"\np = 2\n[extension]\nrule = "discounted"\n',
        b'classes = ["a", "b"]\ncosts = [[0, 1], [2, 0]]\n[sets]\n"a|b" = [0.5, 0.7]\n',
    ]
    answers = (
        b'[[answer]]\nset = "a|b"\ntrue = "a"\ncost = 0.5\n\n[[answer]]\nset = ["a", "b"]\n'
        b'true = "b"\nthan = "a"\ntimes = 3\nrelation = "<="\n\n[[answer]]\nset = "a|b"\n'
        b"proba = { a = 0.5, b = 0.5 }\ncost = 0.5\n"
    )
    plan = (
        b'datasets = ["iris"]\nmeasures = ["u65"]\nscheme = "5x2"\n[learners]\nall = "vacuous"\n'
        b'[learners.ncc]\nlearner = "naive-credal"\ns = 2\n[prepare]\ndiscretize = "mdl"\n'
    )
    learners = _saved_learners()

    def learner(path: Path) -> None:
        from wager.cli._saved import load_model
        from wager.experiments import FittedLearner

        load_model(path, FittedLearner)

    def learner_of_text(path: Path) -> None:
        """With the checksums of the damaged description, which else would refuse it."""
        archive = path.with_suffix(".npz")
        with np.load(io.BytesIO(learners[0])) as arrays:
            text = np.frombuffer(path.read_bytes(), dtype=np.uint8)
            np.savez(archive, **(dict(arrays) | {"model": text}))
        learner(archive)

    return texts | {
        "saved learner": Reader(learner, "npz", learners),
        "saved learner, text": Reader(learner_of_text, "txt", [_learner_text(learners[0])]),
        "predictions csv": Reader(predictions, "csv", rows),
        "predictions csv.gz": Reader(predictions, "csv.gz", [gzip.compress(rows[0])]),
        "predictions csv.bz2": Reader(predictions, "csv.bz2", [bz2.compress(rows[1])]),
        "predictions jsonl": Reader(predictions, "jsonl", tables["jsonl"]),
        "predictions parquet": Reader(predictions, "parquet", tables["parquet"]),
        "predictions arrow": Reader(predictions, "arrow", tables["arrow"]),
        "predictions arrow again": Reader(predictions, "arrow", tables["arrow"]),
        "data csv": Reader(lambda p: load_dataset(p, target="y"), "csv", [table]),
        "data csv.gz": Reader(
            lambda p: load_dataset(p, target="y"), "csv.gz", [gzip.compress(table)]
        ),
        "data arff": Reader(load_dataset, "arff", [arff]),
        "data arff.gz": Reader(load_dataset, "arff.gz", [gzip.compress(arff)]),
        "data parquet": Reader(
            lambda p: load_dataset(p, target="y_true"), "parquet", tables["parquet"]
        ),
        "costs toml": Reader(read_costs, "toml", costs),
        "costs csv": Reader(read_costs, "csv", [b"predicted,a,b\na,0,1\nb,2,0\na|b,0.5,0.6\n"]),
        "answers toml": Reader(lambda p: read_answers(p, np.array(["a", "b"])), "toml", [answers]),
        "utility toml": Reader(
            lambda p: get_utility(str(p)),
            "toml",
            [
                b'kind = "quadratic"\nu_half = 0.7\n',
                b'kind = "tabulated"\nvalues = [1, 0.7, 0.5]\n',
            ],
        ),
        "plan toml": Reader(Plan.load, "toml", [plan]),
    }


def _monitor() -> Any:
    from wager.compare import Monitor

    return Monitor.start(coverage=0.9, window=4).update(["a"] * 6, [["a", "b"]] * 4 + [["b"]] * 2)


def _saved_learners() -> list[bytes]:
    """A trained learner as ``wager fit --save`` writes it, and without compression."""
    import numpy as np

    from wager import load_dataset
    from wager.cli._saved import save_model
    from wager.experiments import Preparation, fit_learner

    with tempfile.TemporaryDirectory() as folder:
        path, plain = Path(folder) / "m.npz", Path(folder) / "plain.npz"
        save_model(path, fit_learner(load_dataset("iris"), "naive-bayes", {}, Preparation()))
        with np.load(path) as arrays:
            np.savez(plain, **arrays)
        return [path.read_bytes(), plain.read_bytes()]


def _learner_text(archive: bytes) -> bytes:
    """The description of the objects in a saved learner."""
    import numpy as np

    with np.load(io.BytesIO(archive)) as arrays:
        return arrays["model"].tobytes()


def _tables() -> dict[str, list[bytes]]:
    """Valid prediction files of every format, with labels, sets and probabilities."""
    import numpy as np

    from wager import ProbabilityIntervals
    from wager.predictions import write_predictions

    y = ["a", "b", "c", "é|x"] * 4
    proba = np.full((16, 4), 0.25)
    kinds: list[dict[str, Any]] = [
        {"y_pred": y[::-1]},
        {"sets": [[label, "a"] if label != "a" else ["a"] for label in y]},
        {"proba": proba},
        {"intervals": ProbabilityIntervals(proba - 0.1, proba + 0.1, classes=sorted(set(y)))},
    ]
    found: dict[str, list[bytes]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for ending in ("csv", "jsonl", "parquet", "arrow"):
            for said in kinds:
                path = Path(folder) / f"p.{ending}"
                write_predictions(path, y, **said)
                found.setdefault(ending, []).append(path.read_bytes())
    return found


def cases(first: int, stop: int, among: dict[str, Reader]) -> Iterator[tuple[int, str, bytes]]:
    """The number, the reader and the bytes of each case."""
    names = sorted(among)
    for number in range(first, stop):
        rng = random.Random(number)
        name = names[number % len(names)]
        yield number, name, mutated(rng.choice(among[name].seeds), rng)


def main(first: int, stop: int, folder: Path) -> None:
    """Run some cases, and print a line for each fault."""
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("error", RuntimeWarning)
    among = readers()
    for number, name, data in cases(first, stop, among):
        print(number, file=sys.stderr, flush=True)
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        path = folder / f"case.{among[name].ending}"
        path.write_bytes(data)
        try:
            among[name].call(path)
        except ValueError as problem:  # which every command prints as one sentence
            if "\n" in str(problem) and name != "plan toml":
                fault(number, name, f"more than one line: {problem}")
        except Exception as problem:
            fault(number, name, f"{type(problem).__name__}: {problem}")
        faulthandler.cancel_dump_traceback_later()


def fault(number: int, name: str, text: str) -> None:
    """Print a fault as a line of JSON."""
    print(json.dumps({"case": number, "reader": name, "fault": text[:500]}), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
