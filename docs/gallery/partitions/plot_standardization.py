"""
Scores of any classifier on one scale
=====================================

A support vector machine has decision values, a tree has shares, naive Bayes has extreme
probabilities: their raw scores cannot be compared. *Standardization* keeps the order of the rows
that are assigned to a class, and moves their memberships so that their mean comes close to the
observed rate of correct assignments. The left panel shows the rows before scaling, the right one
after it. Then distances from the corners mean the same for all classifiers (Sondhauss & Weihs,
2001).
"""

from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_predict
from sklearn.svm import SVC

import wager
from wager.plots import plot_standardization

iris = load_iris()
y = iris.target_names[iris.target]
scores = cross_val_predict(SVC(), iris.data[:, :2], y, cv=10, method="decision_function")
partition = wager.standardize(y, wager.to_memberships(scores), classes=iris.target_names)
plot_standardization(partition)

# %%
# The measures of a partition, with intervals:

partition  # noqa: B018

# %%
# With the distances
# ------------------
#
# ``lines="true"`` adds the distances to the corners of the true classes, and the titles give the
# accuracy Ac that they determine. ``figure=`` draws on a figure of your own.

from matplotlib import pyplot as plt

figure = plt.figure(figsize=(8.4, 4.6), layout="constrained")
plot_standardization(partition, lines="true", figure=figure)
