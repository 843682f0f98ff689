"""
Mean ranks as segments
======================

The same question as in :doc:`plot_critical_difference`, drawn in another way: which of several
classifiers is the best over several data sets? Each segment is centred at the mean rank of a
classifier and is as long as the critical difference of Nemenyi's test. Two classifiers differ
significantly if their segments do not overlap. This form has room for many classifiers with long
names (Zaffalon, Corani & Mauá, 2012, use it in Figure 6).

Here one naive Bayes classifier is made cautious in four ways: by a set of priors, by sets of the
greatest expected utility, by rejection, and by conformal prediction. This script
needs ``pip install 'wager[conformal]'``.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.model_selection import train_test_split

import wager
from wager.metrics import utility_discounted_accuracy
from wager.plots import plot_nemenyi_segments

data = [load(return_X_y=True) for load in (load_iris, load_wine, load_breast_cancer)]
X, y = load_digits(return_X_y=True)
for pair in [(1, 8), (3, 9), (4, 7), (5, 6), (0, 2)]:
    rows = np.isin(y, pair)
    data.append((X[rows], (y[rows] == pair[1]).astype(int)))

bayes = wager.NaiveBayes()
learners = {
    "naive Bayes": bayes,
    "naive credal": wager.NaiveCredal(),
    "sets of the greatest expected u80": wager.OptimalSets(bayes, "u80"),
    "rejection below 0.8": wager.Rejecting(bayes, 0.8),
    "conformal, 90%": wager.Conformal(bayes, alpha=0.1, random_state=0),
}
scores = []
for X, y in data:
    parts = train_test_split(X, y, train_size=40, stratify=y, random_state=0)
    X_train, X_test, y_train, y_test = parts
    cuts = wager.MDLDiscretizer().fit(X_train, y_train)
    row = []
    for learner in learners.values():
        learner.fit(cuts.transform(X_train), y_train)
        sets = wager.predict_set(learner, cuts.transform(X_test))
        row.append(utility_discounted_accuracy(y_test, sets, "u80"))
    scores.append(row)

found = wager.nemenyi(scores, names=list(learners))
ax = plot_nemenyi_segments(found)
ax.set_title("u80 on eight data sets, 40 training rows")
found  # noqa: B018
