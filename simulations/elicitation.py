"""How often the interval of an elicited value contains the value, by the noise of the answers.

A simulated person compares each offered chance with the value of the set plus a normal error.  The
next question depends only on the answers before it, so what follows each list of answers is found
once and then looked up.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from wager.rewards import Quadratic
from wager.rewards.elicit import Elicited, Question, Session

REPLICATIONS = 1000
SEED = 20120
NOISES = (0.0, 0.01, 0.03, 0.05)
PAIRS = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98)
CURVES = (0.5, 0.65, 0.8, 0.95)  # u(0.5) of persons who are asked about sets of 2 and 3
BOUND = ">= 0.90"

Step = Callable[[tuple[str, ...]], Question | Elicited]


def table(replications: int, seed: int) -> list[dict[str, object]]:
    """Coverage of the 95% interval for every noise and value, one row for each."""
    rows = []
    step = steps(n_classes=2)
    for noise in NOISES:
        for value in PAIRS:
            found = _interviews(step, {2: value}, noise, replications, seed)
            rows.append(_row("set of 2", f"noise {noise:g}, value {value:g}", 2, value, found))
    fewer = max(replications // 2, 1)  # hardly any list of answers occurs twice
    step = steps(n_classes=3)
    for noise in NOISES:
        for half in CURVES:
            worth = {k: float(Quadratic(half).of_size(k)) for k in (2, 3)}
            found = _interviews(step, worth, noise, fewer, seed)
            rows += [
                _row(f"set of {k}, after 2 and 3", f"noise {noise:g}, u(0.5) {half:g}", k, v, found)
                for k, v in worth.items()
            ]
    return rows


def steps(n_classes: int) -> Step:
    """A function that finds what follows a list of answers: a question, or the result."""

    @cache
    def step(answers: tuple[str, ...]) -> Question | Elicited:
        session = Session(n_classes, answers=answers)
        return session.question or session.result()

    return step


def _interviews(
    step: Step, worth: dict[int, float], noise: float, replications: int, seed: int
) -> list[Elicited]:
    """The results of interviews with persons of the same values and independent errors."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(replications if noise else 1):  # without noise all interviews are the same
        answers: tuple[str, ...] = ()
        while isinstance(then := step(answers), Question):
            felt = worth[then.size] + noise * rng.standard_normal()
            answers = (*answers, "set" if then.chance < felt else "chance")
        found.append(then)
    return found


def _row(
    what: str, setting: str, size: int, value: float, found: list[Elicited]
) -> dict[str, object]:
    brackets = [next(b for b in one.brackets if b.size == size) for one in found]
    return {
        "what": f"elicited value of a {what}",
        "setting": setting,
        "n": round(float(np.mean([one.n_questions for one in found])), 1),  # questions
        "value": round(float(np.mean([b.low <= value <= b.high for b in brackets])), 4),
        "width": round(float(np.mean([b.high - b.low for b in brackets])), 4),
        "replications": len(found),
        "bound": BOUND,
    }
