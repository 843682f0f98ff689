"""
What every answer costs
=======================

Some errors are worse than others, and a set that contains the true class costs something, too,
because it leaves work to do. This table shows the cost of every possible answer (rows, from
single classes to all of them) for every true class (columns): the darker, the more expensive. A
frame marks the cells in which the answer contains the true class.

The classes here are terciles of the progress of diabetes in a year. To predict "low" when it is
"high" is twice as bad as to predict "medium". The costs of single classes are extended to sets by
a generalized mean, with a reward of r = 0.5 for caution (Yang, Destercke & Masson, 2017).
"""

import wager
from wager.plots import plot_costs

costs = wager.CostMatrix.ordinal(["low", "medium", "high"]).with_unit("points")
extended = costs.extend("p-discounted", r=0.5)
plot_costs(extended)

# %%
# From costs to answers
# ---------------------
#
# With probabilities of a classifier, the cheapest set follows for each patient. Given these costs
# it is often a set of two neighbours, and never "low or high".

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

X, progress = load_diabetes(return_X_y=True)
third = np.digitize(progress, np.quantile(progress, [1 / 3, 2 / 3]))
y = np.array(["low", "medium", "high"])[third]
model = LogisticRegression(C=10, max_iter=1000)
proba = cross_val_predict(model, X, y, cv=5, method="predict_proba")
sets = wager.optimal_sets(proba, costs=extended, classes=np.unique(y))
names, counts = np.unique(sets.to_strings(), return_counts=True)
for name, count in zip(names, counts, strict=True):
    print(f"{name:16} {count:4}")
wager.costs.evaluate_costs(y, sets, extended)

# %%
# Costs of single classes
# -----------------------
#
# A cost matrix, or a plain square array, is drawn with one row per predicted class.

plot_costs(costs)
