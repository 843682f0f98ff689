"""
Mean ranks over several data sets
=================================

Which of several classifiers is the best over several data sets? On each data set, rank the
classifiers: 1 for the best score, 2 for the next one. The diagram shows mean ranks on one axis,
with the best on the left. A bar joins classifiers that Nemenyi's test does not distinguish; the
*critical difference* above the axis is the smallest difference of mean ranks that is significant
(Demšar, 2006).

Here are eight small data sets with different rows: irises, wines, tumours, and five pairs of
handwritten digits. The score is u65, after learning from one fifth of the rows, five times.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline

import wager
from wager.metrics import utility_discounted_accuracy
from wager.plots import plot_critical_difference

data = [load(return_X_y=True) for load in (load_iris, load_wine, load_breast_cancer)]
X, y = load_digits(return_X_y=True)
for pair in [(1, 8), (3, 9), (4, 7), (5, 6), (0, 2)]:
    rows = np.isin(y, pair)
    data.append((X[rows], (y[rows] == pair[1]).astype(int)))

learners = {
    "naive Bayes": make_pipeline(wager.MDLDiscretizer(), wager.NaiveBayes()),
    "naive credal": make_pipeline(wager.MDLDiscretizer(), wager.NaiveCredal()),
    "C4.5": wager.C45(),
    "credal tree": wager.CredalTree(),
    "forest, best sets": wager.OptimalSets(RandomForestClassifier(10, random_state=0), "u65"),
}


def score(learner, X, y):
    """Mean u65 after learning from one fifth of the rows, five times."""
    found = []
    for rest, part in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        sets = wager.predict_set(learner.fit(X[part], y[part]), X[rest])
        found.append(utility_discounted_accuracy(y[rest], sets, "u65"))
    return np.mean(found)


scores = [[score(learner, X, y) for learner in learners.values()] for X, y in data]
found = wager.nemenyi(scores, names=list(learners))
plot_critical_difference(found)
found  # noqa: B018

# %%
# Comparisons with one classifier
# -------------------------------
#
# If only comparisons with one classifier matter, a test against that *control* has more power.
# The diagram then joins only pairs that were compared and do not differ significantly. A table of
# scores, or the result of :func:`wager.friedman`, can be drawn directly as well.

from matplotlib import pyplot as plt

against = wager.compare.holm(scores, names=list(learners), control="C4.5")
figure, ax = plt.subplots(figsize=(7.5, 2.6), layout="constrained")
plot_critical_difference(against, ax=ax)
ax.set_title("Holm's test against C4.5")
