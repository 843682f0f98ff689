"""
A simplex that you can explore
==============================

Which row is the point in the middle? :func:`wager.plots.simplex_html` makes a page of one file,
which needs no network: point at a marker to read its memberships, show them before and after
scaling, draw the distances to the corners, and turn the tetrahedron of four classes.

In a notebook, and below, the page appears where it is made. With a path it is also written to a
file.
"""

from sklearn.datasets import load_digits
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB

import wager
from wager.plots import plot_simplex, simplex_html

X, digits = load_digits(n_class=4, return_X_y=True)
X, y = X[:200], [f"digit {digit}" for digit in digits[:200]]
proba = cross_val_predict(GaussianNB(var_smoothing=0.5), X, y, cv=5, method="predict_proba")
partition = wager.standardize(y, proba)
simplex_html(partition, title="Four digits")

# %%
# The same tetrahedron as a figure, for paper:

plot_simplex(partition)
