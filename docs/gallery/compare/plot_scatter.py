"""
Two classifiers on many problems
================================

Is one classifier better than another in general, or only on some problems? Draw one point per
problem, with the score of the first classifier to the right and that of the second upwards.
Points above the diagonal are problems on which the second is better; the corners count them. A
mean would hide what the plot shows: how large the differences are, and on which kind of problem
they occur.

The problems here are all pairs of handwritten digits: is it a 3 or an 8? Each classifier learns
from 20 images.
"""

from itertools import combinations

import numpy as np
from sklearn.datasets import load_digits
from sklearn.pipeline import make_pipeline

import wager
from wager.metrics import utility_discounted_accuracy
from wager.plots import plot_scatter, save

X, y = load_digits(return_X_y=True)
scores = []
for pair in combinations(range(10), 2):
    rows = np.flatnonzero(np.isin(y, pair))
    train, test = rows[:20], rows[20:]
    row = []
    for learner in (wager.NaiveBayes(), wager.NaiveCredal()):
        model = make_pipeline(wager.MDLDiscretizer(), learner).fit(X[train], y[train])
        sets = wager.predict_set(model, X[test])
        row.append(utility_discounted_accuracy(y[test], sets, "u80", classes=pair))
    scores.append(row)

bayes, credal = np.transpose(scores)
ax = plot_scatter(bayes, credal, names=("naive Bayes", "naive credal"), score="u80")

# %%
# On most pairs naive Bayes is better under u80. But its scores differ more from pair to pair: the
# naive credal classifier is ahead on pairs that are hard for naive Bayes, where it admits that it
# does not know.
#
# Save it as SVG
# --------------
#
# :func:`wager.plots.save` writes PNG, SVG and PDF files. The text of an SVG file stays text, and
# the same figure always gives the same file.

from pathlib import Path
from tempfile import TemporaryDirectory

with TemporaryDirectory() as folder:
    path = Path(folder, "digits.svg")
    save(ax, path)
    print(path.name, "begins with", path.read_text(encoding="utf-8")[:19])
