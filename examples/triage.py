"""Medical triage with costs: from a CSV file to a decision in ten lines.

    python examples/triage.py [FOLDER]

A patient can go home, to the ward or to intensive care.  Sending a patient home who needs intensive
care costs far more than a night too many on the ward, and a doubtful case can be left to a doctor:
the prediction is then a set of two or three.  The script writes ``patients.csv`` and ``costs.toml``
to the folder, prices three ways to decide, and says which one to take.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

COSTS = """\
unit = "EUR"
classes = ["home", "ward", "intensive care"]
costs = [
  # true: home   ward   intensive care     predicted:
  [          0,  1500,            20000],  # home
  [        600,     0,             6000],  # ward
  [       3000,  1800,                0],  # intensive care
]

[extension]  # what a doctor's second look costs: between the best and the worst of the set
rule = "p-discounted"
r = 0.7
"""


def decide(patients: Path, costs_file: Path) -> None:
    """From a CSV file to a decision: the ten lines."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split

    import wager
    from wager.costs import read_costs

    costs = read_costs(costs_file)
    data = wager.load_dataset(patients, target="needs")
    X, X_new, y, y_new = train_test_split(data.matrix, data.y, random_state=0, test_size=0.5)
    model = LogisticRegression(max_iter=1000).fit(X, y)
    proba = model.predict_proba(X_new)
    ways = {"most probable": model.predict(X_new)}
    ways["cheapest class"] = costs.determinate.optimal_class(proba, classes=model.classes_)
    ways["cheapest set"] = wager.optimal_sets(proba, costs=costs, classes=model.classes_)
    print(wager.head_to_head(y_new, ways, costs=costs))
    print(wager.evaluate_sets(y_new, ways["cheapest set"], costs=costs).costs.errors)


def write_patients(path: Path, n: int = 3000) -> None:
    """Simulated patients: vital signs that overlap between the three needs."""
    rng = np.random.default_rng(7)
    need = rng.choice(3, n, p=[0.6, 0.3, 0.1])
    oxygen = np.round(97 - 2.5 * need + rng.normal(0, 1.6, n)).clip(70, 100)
    pulse = np.round(75 + 14 * need + rng.normal(0, 12, n))
    fever = (36.8 + 0.7 * need + rng.normal(0, 0.6, n)).round(1)
    names = np.array(["home", "ward", "intensive care"])[need]
    rows = [
        f"{o:g},{p:g},{f:g},{name}"
        for o, p, f, name in zip(oxygen, pulse, fever, names, strict=True)
    ]
    path.write_text("\n".join(["oxygen,pulse,fever,needs", *rows]) + "\n", encoding="utf-8")


def main(folder: str = "triage") -> None:
    """Write the two files, then decide."""
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    write_patients(place / "patients.csv")
    (place / "costs.toml").write_text(COSTS, encoding="utf-8")
    decide(place / "patients.csv", place / "costs.toml")


if __name__ == "__main__":
    main(*sys.argv[1:2])
