"""Comparisons in all their forms, and the script of the page run on their data in a browser."""

from __future__ import annotations

from math import inf, isnan, nan

import numpy as np

from wager.compare import head_to_head
from wager.report.page._script import script
from wager.rewards import Exponential, FBeta, Quadratic, Tabulated

ENGINE = (
    "numbers.js",
    "statistics.js",
    "utilities.js",
    "verdict.js",
    "costs.js",
    "store.js",
    "model.js",
)
SAME = 1e-9  # by how much a number of the page may differ from Python's

# Numbers that JSON does not have are passed as texts; getters are read.
_PLAIN = """
function plain(value) {
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (value === null || value === undefined || typeof value !== "object") return value ?? null;
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return Array.from(value, plain);
  return Object.fromEntries(Object.keys(value).map((key) => [key, plain(value[key])]));
}
"""


def run(tab, body, **given):
    """The result of a JavaScript function body, which sees ``wager``, ``model`` and the given.

    ``model`` is the model of ``data``, if that is given.
    """
    if not tab.evaluate("typeof wager !== 'undefined'"):
        tab.evaluate(script(ENGINE))
    names = ", ".join(given)
    model = "const model = wager.model.load(data);" if "data" in given else ""
    function = f"({{ {names} }}) => {{ {_PLAIN} {model} return plain((() => {{ {body} }})()); }}"
    return _numbers(tab.evaluate(function, given))


def _numbers(value):
    """Plain data with the numbers that JSON does not have."""
    if isinstance(value, list):
        return [_numbers(one) for one in value]
    if isinstance(value, dict):
        return {key: _numbers(one) for key, one in value.items()}
    return (
        {"NaN": nan, "Infinity": inf, "-Infinity": -inf}.get(value, value)
        if isinstance(value, str)
        else value
    )


def assert_same(found, expected):
    """Numbers agree to 1e-9, None and NaN with their like; lists and dictionaries part by part."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for key in expected:
            assert_same(found[key], expected[key])
    elif isinstance(expected, list | tuple):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other)
    elif expected is None or isinstance(expected, str):
        assert found == expected
    else:
        is_same = found == expected or abs(found - expected) <= SAME
        assert is_same or (isnan(found) and isnan(expected)), (found, expected)


def estimate(found, level):
    """An estimate of Python in the form of the page's."""
    low, high = found.interval(level)
    return [found.value, low, high]


def of_page(found):
    """The value and the ends of an estimate of the page."""
    return [found["value"], found["lower"], found["upper"]]


# -- comparisons -----------------------------------------------------------------------------------


def some_sets(rng, y, n_classes, skill, size, empty=0.0):
    """Random sets that contain the true class more often than chance."""
    n = len(y)
    score = rng.random((n, n_classes))
    score[np.arange(n), y] += skill * rng.random(n) * 2
    k = np.minimum(rng.geometric(1 / size, n), n_classes)
    least = np.sort(score, axis=1)[np.arange(n), n_classes - k]
    sets = score >= least[:, None]
    sets[rng.random(n) < empty] = False
    return sets


def comparison(kind, seed=0, **options):
    """A comparison of one of the kinds that the page must agree on."""
    rng = np.random.default_rng(seed)
    shape = {"n": 400, "K": 4, "m": 3, "empty": 0.0} | SHAPES[kind]
    n, K = shape["n"], shape["K"]
    y = rng.integers(0, K, n)
    predictions = {
        f"c{i}": some_sets(
            rng, y, K, rng.uniform(0.2, 1.4), rng.choice([1.01, 1.5, 3.0]), shape["empty"]
        )
        for i in range(shape["m"])
    }
    if kind in ("identical", "twins"):
        predictions["twin"] = predictions["c0"]
    units = {}
    if kind == "weights":
        units["sample_weight"] = rng.exponential(1.0, n)
    if kind == "counts":
        units["counts"] = rng.integers(1, 6, n)
    if kind == "clusters":
        units["groups"] = rng.integers(0, n // 5, n)
    utilities = options.pop("utilities", shape.get("utilities"))
    return head_to_head(y, predictions, utilities, classes=list(range(K)), **units, **options)


SHAPES = {
    "plain": {"n": 2000},
    "weights": {"utilities": ["u65", "f1"]},
    "counts": {"K": 3},
    "clusters": {},
    "empty sets": {"empty": 0.15, "K": 6},
    "one class": {"K": 1, "n": 60, "empty": 0.2},
    "identical": {"n": 150, "m": 2},
    "twins": {"n": 80, "m": 1},
    "two rows": {"n": 2, "K": 3},
}


# -- decision makers -------------------------------------------------------------------------------


def decision_makers(rng, n):
    """Random decision makers of each family."""
    quadratic = [{"family": "quadratic", "u_half": u} for u in rng.uniform(0.5, 1, n).tolist()]
    beta = [{"family": "fbeta", "beta": b} for b in rng.uniform(0, 3, n).tolist()]
    half = [{"family": "exponential", "u_half": u} for u in rng.uniform(0.5, 0.92, n).tolist()]
    curves = np.sort(rng.uniform(0.2, 1, (n, 2)))[:, ::-1].tolist()
    return [*quadratic, *beta, *half, *({"family": "free", "worth": worth} for worth in curves)]


def utility_of(dm, n_classes):
    """The utility of a decision maker in Python."""
    if dm["family"] == "quadratic":
        return Quadratic(dm["u_half"])
    if dm["family"] == "fbeta":
        return FBeta(dm["beta"])
    if dm["family"] == "exponential":
        return Exponential.through(dm["u_half"])
    values = [1.0, *dm["worth"]][:n_classes]
    last = len(values)
    values += [values[-1] * last / k for k in range(last + 1, n_classes + 1)]
    return Tabulated(values)
