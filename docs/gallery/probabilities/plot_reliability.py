"""
Do the probabilities keep their promise?
========================================

A classifier that says "80%" should be right in 80% of these cases. The reliability diagram
collects the rows by reported probability, and shows for each bin how often the named class was
the true one. On the diagonal the probabilities are *calibrated*; below it they promise too much.
The bars at the bottom show how many rows each bin has, and the legend gives the calibration
error: the mean distance from the diagonal.

Naive Bayes is the classical example of overconfidence, because it counts evidence twice that
comes from neighbouring pixels. Here it sees eight pixels of each handwritten digit.
"""

from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

import wager
from wager.plots import plot_reliability

X, y = load_digits(return_X_y=True)
X, X_test, y, y_test = train_test_split(X[:, 2::8], y, test_size=0.5, random_state=0)
bayes = GaussianNB().fit(X, y)
raw = wager.evaluate_probabilities(y_test, bayes.predict_proba(X_test), n_bins=10)
plot_reliability(raw)

# %%
# Before and after calibration
# ----------------------------
#
# Isotonic regression moves the points towards the diagonal. Both diagrams share one figure here:
# pass the Axes.

from matplotlib import pyplot as plt

repaired = CalibratedClassifierCV(bayes, method="isotonic", cv=5).fit(X, y)
after = wager.evaluate_probabilities(y_test, repaired.predict_proba(X_test), n_bins=10)

figure, panels = plt.subplots(1, 2, figsize=(9.4, 4.8), layout="constrained")
for ax, title, evaluation in zip(panels, ["before", "after"], [raw, after], strict=True):
    plot_reliability(evaluation, ax=ax)
    ax.set_title(title)

# %%
# One curve per class
# -------------------
#
# With ``of="classes"`` every class has a curve; more than five curves are named where they end.
# Fewer bins have more rows each, so their points are less noisy.

coarse = wager.evaluate_probabilities(y_test, bayes.predict_proba(X_test), n_bins=5)
plot_reliability(coarse, of="classes")
