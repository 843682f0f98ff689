"""
Why are there several classes?
==============================

A credal classifier names two classes if neither is more probable under all of its distributions.
The plot explains one such answer. Each bar is a factor of the smallest possible ratio of the two
probabilities: bars to the right of 1 speak for the first class, bars to the left against it. The
last bar is their product; the first class rules the other one out only if it ends to the right
of 1.
"""

from textwrap import fill

import numpy as np
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

import wager
from wager.plots import plot_explanation

wine = load_wine()
X, y = wine.data[:, :4], wine.target_names[wine.target]
X, X_test, y, y_test = train_test_split(X, y, train_size=40, stratify=y, random_state=0)
model = make_pipeline(wager.MDLDiscretizer(), wager.NaiveCredal(s=2)).fit(X, y)
several = np.flatnonzero(wager.predict_set(model, X_test).sum(axis=1) > 1)
found = wager.explain_set(model, X_test[several[:1]])
plot_explanation(found)
print("\n".join(fill(line, 88) for line in str(found).splitlines()))
