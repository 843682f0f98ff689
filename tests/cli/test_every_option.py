"""Every option of every command changes the output, or is refused by a sentence.

``CASES`` lists commands with one kind of input each. All options of the command are given in turn,
with a value other than the default; those that are neither under ``refused`` nor under ``same``
(with the reason) must change what is printed or written. A new option fails the first test until it
has a value, and the others until it has an effect.
"""

import json
import random
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.cli.test_grammar import COMMANDS

# Options of all commands that have tests of their own, and those of single commands: they change no
# numbers, or need a cluster, a server or much time.
SHARED = {
    "--output": "test_grammar",
    "--quiet": "test_grammar",
    "--engine": "test_engine_options",
    "--dask-address": "test_engine_options",
    "--jobs": "test_engine_options, test_run",
}
ELSEWHERE = {
    "monitor": {"--every": "test_monitor"},
    "run": dict.fromkeys(["--dry", "--example", "--mlflow", "--no-import", "--retry"], "test_run"),
    "study list": {"--data": "test_study"},
    "study data": dict.fromkeys(["--data", "--against"], "test_study"),
    "study run": dict.fromkeys(
        ["--all", "--quick", "--data", "--retry", "--seed", "--against", "--record"], "test_study"
    ),
    "study report": dict.fromkeys(["--quick", "--docs"], "test_study"),
    "demo": {"--format": "test_grammar"},
}

COLUMNS = {
    "--truth": "truth2", "--pred": "pred2", "--set": "set2", "--proba-prefix": "q:", "--na": "drop",
    "--classes": "a,b,c,d", "--form": "set",
}  # fmt: skip
FILE = COLUMNS | {
    "--id": "id2", "--weight": "weight2", "--count": "count2", "--cluster": "cluster2",
    "--rule": "gamma-maximin", "--prior": "0.5,0.3,0.2", "--costs": "costs.csv",
    "--empty-cost": "9",
    "--unit": "EUR", "--level": "0.8", "--utility": "f1",
}  # fmt: skip
TABLE = {"--format": "json"}
EXTENDED = {
    "--rule": "discounted", "--r": "0.9", "--mode": "mistake-averse", "--p": "0.3",
    "--epsilon": "0.1", "--delta": "0.2", "--utility": "u65", "--format": "json",
}  # fmt: skip
# The values of options, other than the defaults; an empty text for options without a value.
VALUES = {
    "score": FILE | TABLE | {
        "--all": "", "--by-class": "", "--by": "hospital", "--top": "1", "--sort": "-u65",
        "--memberships": "rank", "--sharpness": "3", "--depth": "2", "--ties": "join",
    },
    "compare": FILE | TABLE | {
        "--names": "x,y", "--clip": "0.3", "--plan": "", "--power": "0.9", "--margin": "0.1",
        "--plot": "plot.svg", "--memberships": "rank",
    },
    "report": FILE | {
        "--title": "Title", "--names": "x,y", "--by": "hospital", "--rows": "5", "--full": "",
        "--empty": "",
    },
    "monitor": COLUMNS | TABLE | {
        "--reference": "labels.csv", "--coverage": "0.9", "--target": "0.9", "--utility": "f1",
        "--alpha": "0.1", "--side": "both", "--window": "7", "--state": "other.json",
    },
    "results": TABLE | {
        "--measure": "coverage", "--pivot": "", "--baseline": "one", "--level": "0.5",
        "--pooled": "",
        "--costs": "iris.csv", "--empty-cost": "9", "--unit": "EUR", "--plot": "plot.svg",
        "--scatter": "all,one", "--failures": "", "--repair": "",
    },
    "fit": {
        "--set": "s=3", "--target": "g", "--classes": "a,b,c", "--costs": "ab.csv",
        "--discretize": "mdl", "--bins": "3", "--select": "cfs", "--impute": "",
        "--encode": "one-hot", "--seed": "5", "--save": "model.npz", "--rows": "disk",
    },
    "predict": {"--target": "g"},
    "run": {},
    "demo": {},
    "explain": TABLE | {"--search": "calibration"},
    "elicit": {
        "--n-classes": "4", "--sizes": "2", "--resolution": "0.2", "--kind": "quadratic",
        "--no-check": "", "--level": "0.8",
    },
    "costs new": {"--unit": "EUR", "--csv": "", "--force": ""},
    "costs audit": EXTENDED,
    "costs extend": EXTENDED,
    "costs complete": TABLE | {
        "--properties": "filtering", "--r": "0.9", "--mode": "mistake-averse",
    },
    "study list": TABLE,
    "study data": TABLE,
    "study run": {},
    "study report": {},
}  # fmt: skip

ID = {"--id": "a single file needs no ids; one command line may serve all commands"}
IDS = {"--id": "the rows are in the same order"}
IRIS = "predicted,setosa,versicolor,virginica\n"
SMALL = {"--full": "nothing is left out of a small page"}
LONG = (pytest.mark.long,)


@dataclass(frozen=True)
class Case:
    """A command with one kind of input, and its options that do not change the output."""

    line: str
    refused: str = ""
    same: dict = field(default_factory=dict)
    values: dict = field(default_factory=dict)
    marks: tuple = ()

    @property
    def command(self):
        words = self.line.split()
        return " ".join(words[:2]) if words[0] in ("costs", "study") else words[0]


CASES = {
    "score labels": Case(
        "score labels.csv",
        refused=(
            "--set --proba-prefix --form --rule --prior --empty-cost --unit --top --sort "
            "--memberships --sharpness --depth --ties"
        ),
        same=ID,
    ),
    "score sets": Case(
        "score sets.csv",
        refused=(
            "--pred --proba-prefix --rule --prior --empty-cost --unit --top --sort "
            "--memberships --sharpness --depth --ties"
        ),
        same=ID | {"--form": "the file has no other kind"},
        marks=LONG,
    ),
    "score probabilities": Case(
        "score probabilities.csv",
        refused=(
            "--pred --set --form --rule --empty-cost --unit --top --sort --memberships "
            "--sharpness --depth --ties"
        ),
        same=ID,
        marks=LONG,
    ),
    "score intervals": Case(
        "score intervals.csv",
        refused=(
            "--pred --set --proba-prefix --form --prior --empty-cost --unit --top --sort "
            "--memberships --sharpness --depth --ties"
        ),
        same=ID,
    ),
    "score memberships": Case(
        "score memberships.csv",
        refused=(
            "--pred --set --proba-prefix --form --rule --prior --empty-cost --unit --top --sort"
        ),
        same=ID,
        marks=LONG,
    ),
    "score masks": Case(
        "score masks.csv --classes a,b,c",
        refused=(
            "--pred --set --proba-prefix --form --rule --prior --empty-cost --unit --top "
            "--sort --memberships --sharpness --depth --ties"
        ),
        same=ID,
        marks=LONG,
    ),
    "score members": Case(
        "score members.csv",
        refused=(
            "--pred --set --proba-prefix --form --rule --prior --empty-cost --unit --top "
            "--sort --memberships --sharpness --depth --ties"
        ),
        same=ID,
    ),
    "score some classes": Case(
        "score some.csv",
        refused=(
            "--pred --set --proba-prefix --form --rule --empty-cost --unit --top --sort "
            "--memberships --sharpness --depth --ties"
        ),
        same=ID,
        marks=LONG,
    ),
    "score two kinds": Case(
        "score kinds.csv",
        refused=(
            "--pred --rule --empty-cost --unit --top --sort --memberships --sharpness "
            "--depth --ties"
        ),
        same=IDS,
        marks=LONG,
    ),
    "score two files": Case(
        "score sets.csv intervals.csv",
        refused=(
            "--pred --set --proba-prefix --form --prior --empty-cost --unit --top --sort "
            "--memberships --sharpness --depth --ties"
        ),
        same=IDS,
        marks=LONG,
    ),
    "score input": Case(
        "score -",
        refused=(
            "--pred --proba-prefix --rule --prior --empty-cost --unit --top --sort "
            "--memberships --sharpness --depth --ties"
        ),
        same=ID | {"--na": "no value is missing", "--form": "the file has no other kind"},
        marks=LONG,
    ),
    "score groups": Case(
        "score sets.csv --by hospital",
        refused=(
            "--pred --proba-prefix --rule --prior --empty-cost --unit --memberships "
            "--sharpness --depth --ties"
        ),
        same=ID | {"--form": "the file has no other kind", "--by": "given already"},
        marks=LONG,
    ),
    "score classes": Case(
        "score sets.csv --by-class",
        refused=(
            "--pred --proba-prefix --rule --prior --empty-cost --unit --top --sort "
            "--memberships --sharpness --depth --ties"
        ),
        same=ID | {"--form": "the file has no other kind", "--by-class": "given already"},
        marks=LONG,
    ),
    "score groups and classes": Case(
        "score sets.csv --by hospital --by-class",
        refused=(
            "--pred --proba-prefix --rule --prior --empty-cost --unit --top --sort "
            "--memberships --sharpness --depth --ties"
        ),
        same=ID
        | {
            "--form": "the file has no other kind",
            "--by-class": "given already",
            "--by": "given already",
        },
        marks=LONG,
    ),
    "score costs": Case(
        "score sets.csv --costs other-costs.csv",
        refused=(
            "--pred --proba-prefix --classes --rule --prior --top --sort --memberships "
            "--sharpness --depth --ties"
        ),
        same=ID | {"--form": "the file has no other kind", "--empty-cost": "no set is empty"},
        marks=LONG,
    ),
    "score for programs": Case(
        "score sets.csv --format csv",
        refused=(
            "--pred --proba-prefix --rule --prior --empty-cost --unit --top --sort "
            "--memberships --sharpness --depth --ties"
        ),
        same=ID
        | {"--form": "the file has no other kind", "--all": "CSV has all measures in any case"},
        marks=LONG,
    ),
    "compare labels": Case(
        "compare labels.csv others.csv",
        refused=(
            "--set --proba-prefix --form --rule --prior --empty-cost --unit --clip --power "
            "--memberships"
        ),
        same=IDS,
        marks=LONG,
    ),
    "compare sets": Case(
        "compare sets.csv labels.csv",
        refused=(
            "--proba-prefix --form --rule --prior --empty-cost --unit --clip --power --memberships"
        ),
        same=IDS,
        marks=LONG,
    ),
    "compare probabilities": Case(
        "compare probabilities.csv turned.csv",
        refused="--pred --set --form --rule --empty-cost --unit --power --memberships",
        same=IDS,
        marks=LONG,
    ),
    "compare mixed": Case(
        "compare probabilities.csv sets.csv",
        refused="--pred --form --rule --prior --empty-cost --unit --clip --power --memberships",
        same=IDS,
        marks=LONG,
    ),
    "compare intervals": Case(
        "compare intervals.csv sets.csv",
        refused=(
            "--pred --proba-prefix --form --prior --empty-cost --unit --clip --power --memberships"
        ),
        same=IDS,
        marks=LONG,
    ),
    "compare memberships": Case(
        "compare memberships.csv sets.csv",
        refused="--pred --proba-prefix --form --rule --prior --empty-cost --unit --clip --power",
        same=IDS | {"--memberships": "documented: the largest membership decides"},
        marks=LONG,
    ),
    "compare some classes": Case(
        "compare some.csv sets.csv",
        refused=(
            "--pred --proba-prefix --form --rule --prior --empty-cost --unit --clip --power "
            "--memberships"
        ),
        same=IDS,
        marks=LONG,
    ),
    "compare costs": Case(
        "compare sets.csv labels.csv --costs other-costs.csv",
        refused="--proba-prefix --classes --form --rule --prior --clip --power --memberships",
        same=IDS | {"--empty-cost": "no set is empty"},
        marks=LONG,
    ),
    "compare a plan": Case(
        "compare sets.csv labels.csv --plan",
        refused="--proba-prefix --form --rule --prior --empty-cost --unit --clip --memberships",
        same=IDS | {"--plan": "given already"},
        marks=LONG,
    ),
    "compare a run": Case(
        "compare out",
        values={"--names": "one,all"},
        refused=(
            "--truth --pred --set --proba-prefix --na --classes --form --id --weight "
            "--count --cluster --rule --prior --costs --empty-cost --unit --clip --plan "
            "--power --margin --memberships"
        ),
        same={"--level": "two learners on two data sets differ at no level"},
    ),
    "report labels": Case(
        "report labels.csv",
        refused="--set --proba-prefix --form --rule --prior --empty-cost --unit --names --empty",
        same=ID | SMALL,
    ),
    "report sets": Case(
        "report sets.csv",
        refused="--pred --proba-prefix --rule --prior --empty-cost --unit --names --empty",
        same=ID | SMALL | {"--form": "the file has no other kind"},
        marks=LONG,
    ),
    "report probabilities": Case(
        "report probabilities.csv",
        refused="--pred --set --form --rule --empty-cost --unit --names --empty",
        same=ID | SMALL,
        marks=LONG,
    ),
    "report intervals": Case(
        "report intervals.csv",
        refused="--pred --set --proba-prefix --form --prior --empty-cost --unit --names --empty",
        same=ID | SMALL,
    ),
    "report memberships": Case(
        "report memberships.csv",
        refused=(
            "--pred --set --proba-prefix --form --rule --prior --empty-cost --unit --names --empty"
        ),
        same=ID | SMALL,
        marks=LONG,
    ),
    "report two files": Case(
        "report sets.csv labels.csv",
        refused="--proba-prefix --form --rule --prior --empty-cost --unit --empty",
        same=IDS | SMALL,
        marks=LONG,
    ),
    "report two of probabilities": Case(
        "report probabilities.csv turned.csv",
        refused="--pred --set --form --rule --empty-cost --unit --empty",
        same=IDS | SMALL,
        marks=LONG,
    ),
    "report a tally": Case(
        "report sets.json",
        refused=(
            "--truth --pred --set --proba-prefix --na --classes --form --id --weight "
            "--count --cluster --rule --prior --costs --empty-cost --unit --names --by "
            "--rows --empty"
        ),
        same=SMALL,
        marks=LONG,
    ),
    "report tallies": Case(
        "report sets.json labels.json",
        refused=(
            "--truth --pred --set --proba-prefix --na --classes --form --id --weight "
            "--count --cluster --rule --prior --costs --empty-cost --unit --by --rows "
            "--empty"
        ),
        same=SMALL,
    ),
    "report a run": Case(
        "report out",
        values={"--names": "one,all"},
        refused=(
            "--truth --pred --set --proba-prefix --na --classes --form --id --weight "
            "--count --cluster --rule --prior --costs --empty-cost --unit --by --rows "
            "--empty"
        ),
        same=SMALL,
    ),
    "report a page": Case(
        "report page.json",
        refused=(
            "--truth --pred --set --proba-prefix --na --classes --form --id --weight "
            "--count --cluster --rule --prior --costs --empty-cost --unit --level --utility "
            "--names --by --rows --empty"
        ),
        same=SMALL,
    ),
    "report nothing": Case(
        "report --empty",
        refused=(
            "--truth --pred --set --proba-prefix --na --classes --form --id --weight "
            "--count --cluster --rule --prior --costs --empty-cost --unit --level --utility "
            "--names --by --rows --full"
        ),
        same={"--empty": "given already"},
    ),
    "monitor labels": Case(
        "monitor labels.csv --coverage 0.7",
        refused="--set --proba-prefix --form",
    ),
    "monitor sets": Case(
        "monitor sets.csv --target 0.5",
        refused="--pred --proba-prefix",
        marks=LONG,
    ),
    "monitor probabilities": Case(
        "monitor probabilities.csv --reference sets.json",
        refused="--pred --set --form",
        marks=LONG,
    ),
    "results": Case(
        "results out",
        refused="--baseline --level --empty-cost --unit --scatter",
        same={"--pooled": "folds of one size"},
    ),
    "results pivot": Case(
        "results out --pivot",
        refused="--empty-cost --unit --scatter --failures --repair",
        same={"--pivot": "given already", "--pooled": "folds of one size"},
    ),
    "results costs": Case(
        "results out --costs other-iris.csv",
        refused="--baseline --level --scatter --failures --repair",
        same={"--pooled": "folds of one size", "--empty-cost": "no set is empty"},
        marks=LONG,
    ),
    "results diagram": Case(
        "results out --plot plot.svg",
        refused="--baseline --empty-cost --unit --failures --repair",
        same={
            "--level": "two learners on two data sets differ at no level",
            "--pooled": "folds of one size",
            "--plot": "given already",
            "--scatter": "a diagram of two learners is this picture",
        },
        marks=LONG,
    ),
    "results scatter": Case(
        "results out --plot plot.svg --scatter one,all",
        refused="--baseline --level --empty-cost --unit --failures --repair",
        same={"--pooled": "folds of one size", "--plot": "given already"},
        marks=LONG,
    ),
    "results failures": Case(
        "results out --failures",
        refused=(
            "--measure --pivot --baseline --level --pooled --costs --empty-cost --unit "
            "--plot --scatter --repair"
        ),
        same={"--failures": "given already"},
    ),
    "results repair": Case(
        "results out --repair",
        refused=(
            "--format --measure --pivot --baseline --level --pooled --costs --empty-cost "
            "--unit --plot --scatter --failures"
        ),
    ),
    "fit": Case(
        "fit naive-bayes train.csv train.csv --target kind",
        refused="--costs --bins --select --rows",
        same={"--set": "s is for other priors than the default", "--seed": "nothing is random"},
    ),
    "fit intervals": Case(
        "fit naive-credal train.csv train.csv --target kind --discretize equal-frequency",
        refused="--encode",
        same={"--seed": "nothing is random", "--rows": "documented: the same predictions"},
        marks=LONG,
    ),
    "fit a guess": Case(
        "fit random-class train.csv train.csv --target kind",
        refused="--set --costs --bins --select --rows",
        same={
            "--discretize": "the learner reads no features",
            "--impute": "the learner reads no features",
            "--encode": "the learner reads no features",
        },
        marks=LONG,
    ),
    "explain": Case(
        "explain",
    ),
    "explain a topic": Case(
        "explain u65",
        refused="--search",
    ),
    "elicit": Case(
        "elicit -k 3",
    ),
    "new costs": Case(
        "costs new a,b",
        same={"--force": "no file is in the way"},
    ),
    "audit": Case(
        "costs audit costs.csv",
        refused="--delta --utility",
    ),
    "extend discounted": Case(
        "costs extend costs.csv --rule discounted",
        refused="--r --mode --p --delta --utility",
        same={"--rule": "given already"},
    ),
    "extend p-discounted": Case(
        "costs extend costs.csv --rule p-discounted",
        refused="--delta --utility",
    ),
    "extend abellan-masegosa": Case(
        "costs extend costs.csv --rule abellan-masegosa",
        refused="--r --mode --p --delta --utility",
    ),
    "extend utility": Case(
        "costs extend equal-costs.csv --rule utility -u u80",
        refused="--rule --r --mode --p --epsilon --delta",
        marks=LONG,
    ),
    "audit extended costs": Case(
        "costs audit extended.csv",
        refused="--rule --r --mode --p --epsilon --delta --utility",
    ),
    "complete": Case(
        "costs complete costs.csv answers.toml",
    ),
}
OUTPUT = {"fit": "-o out.csv", "report": "-o out.html", "elicit": "-o out.toml"}
WRITTEN = ("out.csv", "out.html", "out.toml", "plot.svg", "model.npz", "other.json")
LINES = {case.line for case in CASES.values()}


# -- the table is complete ------------------------------------------------------------------------


def options_of(command):
    """The first spelling of each option that a command has."""
    parameters = COMMANDS[f"wager {command}"].params
    return {p.opts[0] for p in parameters if p.opts[0].startswith("-")}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_a_value_or_tests_elsewhere(name):
    command = name.removeprefix("wager ")
    options, elsewhere = options_of(command), set(ELSEWHERE.get(command, ()))
    assert options - set(SHARED) == set(VALUES[command]) | elsewhere


# -- every option has an effect -------------------------------------------------------------------


def make_files(folder):
    """The files that the cases name."""
    from wager.predictions import read_predictions
    from wager.rewards import Tally

    rng, classes = random.Random(1), "abc"
    rows = []
    for i in range(40):
        truth = rng.choice(classes)
        guess = truth if rng.random() < 0.6 else rng.choice(classes)
        other = truth if rng.random() < 0.5 else rng.choice(classes)
        sets = sorted({guess, rng.choice(classes)})
        worth = [rng.randint(1, 40) + 60 * (label == guess) for label in classes]
        p = [round(w / sum(worth), 3) for w in worth[:2]]
        p.append(round(1 - sum(p), 3))
        about = {
            "y_true": truth, "truth2": other, "id": i, "id2": 39 - i, "hospital": "uvw"[i % 3],
            "weight2": 1 + i % 4, "count2": 1 + i % 3, "cluster2": i // 4,
        }  # fmt: skip
        m = [1, 1, 1] if i == 3 else [rng.randint(-10, 40) / 10 for _ in classes]
        rows.append((about, guess, other, sets, p, m))

    def by_class(prefix, values):
        return {f"{prefix}{label}": value for label, value in zip(classes, values, strict=True)}

    def probabilities(p, turn=0):
        return by_class("p:", p[turn:] + p[:turn]) | by_class("q:", p[::-1])

    columns = {
        "labels": lambda g, o, s, p, m: {"y_pred": g, "pred2": o},
        "others": lambda g, o, s, p, m: {"y_pred": o, "pred2": g},
        "sets": lambda g, o, s, p, m: {"set": "|".join(s), "set2": o},
        "probabilities": lambda g, o, s, p, m: probabilities(p),
        "turned": lambda g, o, s, p, m: probabilities(p, 1),
        "kinds": lambda g, o, s, p, m: {"set": "|".join(s), "set2": o} | probabilities(p),
        "intervals": lambda g, o, s, p, m: (
            by_class("lower:", [round(0.6 * each, 4) for each in p])
            | by_class("upper:", [round(min(0.6 * each + 0.4, 1), 4) for each in p])
        ),
        "memberships": lambda g, o, s, p, m: by_class("m:", m),
        "masks": lambda g, o, s, p, m: {"mask": sum(1 << classes.index(c) for c in s)},
        "members": lambda g, o, s, p, m: by_class("in:", [int(c in s) for c in classes]),
        "some": lambda g, o, s, p, m: {"class_1": classes[p.index(max(p))], "p_1": max(p)},
    }
    for name, of_row in columns.items():
        table = [about | of_row(*rest) for about, *rest in rows]
        lines = [",".join(table[0]), *(",".join(map(str, row.values())) for row in table)]
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
        lines[6] = lines[6][1:]  # y_true is missing
        (folder / f"{name}-na.csv").write_text("\n".join(lines) + "\n")
    for name in ("sets", "labels"):
        read = read_predictions(folder / f"{name}.csv")
        (folder / f"{name}.json").write_text(
            Tally.of(read.y_true, read.sets, read.classes).to_json()
        )
    files = {
        "costs.csv": "predicted,a,b,c\na,0,2,5\nb,1,0,2\nc,3,4,0\n",
        "other-costs.csv": "predicted,a,b,c\na,0,20,5\nb,10,0,2\nc,3,4,0\n",
        "equal-costs.csv": "predicted,a,b\na,0,1\nb,1,0\n",
        "ab.csv": "predicted,a,b\na,0,9\nb,1,0\n",
        "iris.csv": f"{IRIS}setosa,0,2,5\nversicolor,1,0,2\nvirginica,3,4,0\n",
        "other-iris.csv": f"{IRIS}setosa,0,1,1\nversicolor,1,0,1\nvirginica,1,1,0\n",
        "answers.toml": '[[answer]]\nset = "a|b"\ntrue = "a"\ncost = 0.25\n',
    }
    lines = ["x,z,g,kind"]
    for i in range(60):
        kind = rng.choice("ab")
        x = "" if i == 7 else round(rng.random() + (kind == "a"), 2)
        lines.append(f"{x},{rng.randint(0, 3)},{rng.choice('pq')},{kind}")
    files["train.csv"] = "\n".join(lines) + "\n"
    for name, text in files.items():
        (folder / name).write_text(text)


@pytest.fixture
def folder(tmp_path, monkeypatch, filled_store):
    from shutil import copytree

    monkeypatch.chdir(tmp_path)
    make_files(tmp_path)
    copytree(filled_store, tmp_path / "out")
    return tmp_path


@pytest.fixture
def seen(wager, folder):
    """Everything that a command line prints and writes, apart from its own lines on a page."""

    pages = []

    def call(line):
        words = shlex.split(f"{line} {OUTPUT.get(line.split()[0], '')}")
        for path in [*map(Path, WRITTEN), *folder.glob("*.monitor.json")]:
            path.unlink(missing_ok=True)
        text = "s\nc\n" * 40 if "elicit" in words else (folder / "sets.csv").read_text()
        result = wager(*words, input=text)
        made = {path.name: path.read_bytes() for path in map(Path, WRITTEN) if path.exists()}
        made |= {path.name: path.read_bytes() for path in folder.glob("*.monitor.json")}
        if "out.html" in made:
            made["out.html"] = shown(made["out.html"].decode())
        return result, (re.sub(r"[\d.e-]+ (k?B|MB|s)\b", "", result.stdout), made)

    def shown(page):
        pages.append(re.search(r'type="application/json"[^>]*>(.*?)</script>', page, re.S)[1])
        data = json.loads(pages[-1])
        return json.dumps(data | {"reproduce": None})

    (folder / "extended.csv").write_text(call("costs extend costs.csv")[1][0])
    call("report sets.csv")
    (folder / "page.json").write_text(pages[-1])
    usual = {}

    def remembered(line):
        if line not in usual:
            usual[line] = call(line)
        return usual[line]

    return lambda line: remembered(line) if line in LINES else call(line)


def outcome(seen, case, option, value):
    """What becomes of the output when an option is added."""
    line = case.line.replace(".csv", "-na.csv", 1) if option == "--na" else case.line
    before = seen(line)[1]
    result, after = seen(f"{line} {option} {value}")
    if result.exit_code == 2:
        assert result.stderr.splitlines()[-1].startswith("wager: ")
        return "refused"
    assert result.exit_code in (0, 1), result.output
    return "changes" if before != after else "same"


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=case.marks) for name, case in CASES.items()]
)
def test_every_option_changes_the_output_or_is_refused(seen, name):
    case = CASES[name]
    values = VALUES[case.command] | case.values
    expected = dict.fromkeys(values, "changes")
    expected |= dict.fromkeys(case.refused.split(), "refused") | dict.fromkeys(case.same, "same")
    found = {option: outcome(seen, case, option, value) for option, value in values.items()}
    assert found == expected
