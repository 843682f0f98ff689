"""
A comparison as an interactive page
===================================

A plot answers one question. A *report* lets its readers ask their own: one HTML file, without a
server or a network, with a slider for what a correct set of two classes is worth, and with the
verdict, the scores, the risk profile and the pairs of classifiers that follow from it.

:func:`wager.head_to_head` compares classifiers on the same rows, and ``report`` writes the page.
"""

import numpy as np
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

import wager

wine = load_wine()
y = np.array(["Barolo", "Grignolino", "Barbera"])[wine.target]
X, X_test, y, y_test = train_test_split(wine.data, y, train_size=30, stratify=y, random_state=0)
plain = make_pipeline(wager.MDLDiscretizer(), wager.NaiveBayes()).fit(X, y)
credal = make_pipeline(wager.MDLDiscretizer(), wager.NaiveCredal(s=2)).fit(X, y)
best = wager.OptimalSets(plain, "u80").fit(X, y)

found = wager.head_to_head(
    y_test,
    {
        "naive Bayes": plain.predict(X_test),
        "naive credal": wager.predict_set(credal, X_test),
        "best sets under u80": best.predict_set(X_test),
    },
)
found.report("wine.html", title="Three classifiers of wines")

# %%
# The same comparison as a figure: :func:`wager.plots.plot_risk_profile` takes it as it is.

from wager.plots import plot_risk_profile

plot_risk_profile(found)
