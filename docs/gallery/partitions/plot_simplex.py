"""
Memberships in a triangle
=========================

Accuracy says how often a classifier is right, but not how sure it was. Draw each row between the
corners of the three classes, at its probabilities: a row near a corner was assigned with
certainty, a row near the centre was a guess. Solid lines separate the regions of the assigned
classes. The fill of a marker is the true class, its ring the assigned one, so errors have two
colours. *CR* at a corner is the share of correct assignments to that class (Sondhauss & Weihs,
2001).
"""

import numpy as np
from sklearn.datasets import load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import cross_val_predict

import wager
from wager.plots import plot_simplex

wine, names = load_wine(), np.array(["Barolo", "Grignolino", "Barbera"])
y = names[wine.target]
model = LinearDiscriminantAnalysis()
proba = cross_val_predict(model, wine.data[:, :4], wine.target, cv=10, method="predict_proba")
partition = wager.standardize(y, proba, classes=names)
plot_simplex(partition, scaled=False)

# %%
# Distances are measures
# ----------------------
#
# ``lines="true"`` draws the distance of each row to the corner of its true class. The shorter
# they are, the higher the *accuracy* Ac in the title, which sees how sure the classifier was.
# ``lines="assigned"`` shows the *ability to separate* AS in the same way.

from wager.plots import simplex_axes

for ax, lines in zip(simplex_axes(2, 3), ("true", "assigned"), strict=True):
    plot_simplex(partition, ax, lines=lines, legend=lines == "true")

# %%
# Two and four classes
# --------------------
#
# Two classes need a line, four need a tetrahedron, which is drawn on 3-D Axes.

from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.naive_bayes import GaussianNB

tumours = load_breast_cancer()
proba = cross_val_predict(model, tumours.data[:, :4], tumours.target, cv=5, method="predict_proba")
labels = tumours.target_names
plot_simplex(wager.standardize(labels[tumours.target], proba, classes=labels))

# %%

X, y = load_digits(n_class=4, return_X_y=True)
proba = cross_val_predict(GaussianNB(var_smoothing=0.5), X, y, cv=5, method="predict_proba")
plot_simplex(wager.standardize(y, proba))
