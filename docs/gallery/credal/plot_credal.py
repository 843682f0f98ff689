"""
A credal set in the triangle of three classes
=============================================

Few data do not determine probabilities, they only bound them. All probabilities that are possible
form a *credal set*. The triangle contains the probabilities of three classes: a corner is
certainty of one class, the centre is complete indifference. Its colours show which class is the
best answer for each probability, and the dark polygon is the credal set of one row. If it touches
the regions of several classes, none of these can be ruled out: the prediction, in the title, is a
set.

A naive credal classifier learns from 20 wines. This is a wine that it cannot decide:
"""

import numpy as np
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

import wager
from wager.plots import plot_credal

wine = load_wine()
X = wine.data[:, [wine.feature_names.index(name) for name in ("alcohol", "hue")]]
y = np.array(["Barolo", "Grignolino", "Barbera"])[wine.target]
X, X_test, y, y_test = train_test_split(X, y, train_size=100, stratify=y, random_state=0)
cuts = wager.EqualFrequencyDiscretizer(3).fit(X)
X, X_test = cuts.transform(X), cuts.transform(X_test)

few = wager.NaiveCredal(s=2).fit(X[:20], y[:20])
row = int(few.predict_set(X_test).sum(axis=1).argmax())
plot_credal(few.predict_credal(X_test), row)

# %%
# More data
# ---------
#
# With more training rows the credal set shrinks. After 100 rows Barbera is ruled out: its name is
# no longer bold.

from matplotlib import pyplot as plt

figure, panels = plt.subplots(1, 3, figsize=(10.5, 4), layout="constrained")
for ax, n in zip(panels, (20, 50, 100), strict=True):
    model = wager.NaiveCredal(s=2).fit(X[:n], y[:n])
    plot_credal(model.predict_credal(X_test), row, ax, title=f"{n} training rows")

# %%
# Costs move the borders
# ----------------------
#
# With costs the regions change. Here it costs four times as much to name Barbera wrongly as to
# name another wine wrongly, so its region is smaller. The rule that makes the prediction can be
# chosen, too.

costs = wager.CostMatrix([[0, 4, 4], [1, 0, 1], [1, 1, 0]], few.classes_)
plot_credal(few.predict_credal(X_test), row, costs=costs, rule="e-admissibility")
