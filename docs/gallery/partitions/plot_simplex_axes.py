"""
Your own drawing on a simplex
=============================

Where do two classifiers disagree? No ready-made plot answers this, but
:func:`wager.plots.simplex_coordinates` gives the place of any probabilities in the triangle, so
that you can draw on top of :func:`wager.plots.plot_simplex`. :func:`wager.plots.simplex_axes`
makes a row of Axes: flat ones for two or three classes, 3-D ones for four.

Black circles mark the wines that linear discriminant analysis and naive Bayes assign to different
classes, in both panels.
"""

import numpy as np
from sklearn.datasets import load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB

import wager
from wager.plots import plot_simplex, simplex_axes, simplex_coordinates

wine, names = load_wine(), np.array(["Barolo", "Grignolino", "Barbera"])
X, y = wine.data[:, [0, 1, 2, 4]], names[wine.target]
models = {"discriminant analysis": LinearDiscriminantAnalysis(), "naive Bayes": GaussianNB()}
found = {
    title: wager.standardize(
        y, cross_val_predict(model, X, wine.target, cv=10, method="predict_proba"), classes=names
    )
    for title, model in models.items()
}
first, second = (partition.assigned for partition in found.values())
differ = first != second

for ax, (title, partition) in zip(simplex_axes(2, 3), found.items(), strict=True):
    plot_simplex(partition, ax, scaled=False, title=title, legend=title == "naive Bayes")
    places = simplex_coordinates(partition.memberships[differ])
    ax.plot(*places.T, "o", markersize=13, markerfacecolor="none", markeredgecolor="black")
print(f"{differ.sum()} of {len(y)} wines are assigned to different classes")
