"""Preparation against Weka's discretizer (stored times, scaled) and pandas as a reader."""

from __future__ import annotations

from collections.abc import Iterator

from bench.measure import Row, cpu_seconds
from bench.weka import numeric_rows, public_set, scaled
from wager.prepare import CfsSelector, MDLDiscretizer, load_dataset

# CPU seconds of Weka 3.6.14's supervised discretizer on whole sets
WEKA_MDL = {"letter": 0.058, "adult": 0.103, "synthetic numeric 100,000 x 20": 1.21}


def rows() -> Iterator[Row]:
    for name, seconds in WEKA_MDL.items():
        if name.startswith("synthetic"):
            X, y = numeric_rows()
            cutter = MDLDiscretizer()
        else:
            path = public_set(name)
            if path is None:
                continue
            data = load_dataset(path)
            X, y = data.matrix, data.target_codes
            cutter = MDLDiscretizer(categorical_features=data.nominal)
        ours = cpu_seconds(lambda cutter=cutter, X=X, y=y: cutter.fit(X, y), repeat=3)
        yield Row(f"MDL fit, {name}", ours, scaled(seconds), "Weka 3.6.14, scaled", 1.0)
    path = public_set("connect-4")
    if path is not None:
        from scipy.io import arff

        plain = public_set("letter")
        ours = cpu_seconds(lambda: load_dataset(plain), repeat=2)
        other = cpu_seconds(lambda: arff.loadarff(plain), repeat=2)
        yield Row("reading letter.arff", ours, other, "scipy.io.arff.loadarff", 1.0)
        data = load_dataset(path)
        ours = cpu_seconds(lambda: CfsSelector().fit(data.matrix, data.target_codes), repeat=2)
        yield Row("CFS, connect-4", ours, ours, "for information", None)
