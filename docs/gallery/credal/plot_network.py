"""
Which features depend on each other?
====================================

A Bayesian network draws an arrow between features that inform about each other. Naive Bayes has
arrows from the class to every feature and no others. *Tree-augmented naive Bayes* (TAN) adds at
most one further parent to each feature: the heavier arrows of this figure show which measurement
of a wine depends on which, given the kind of wine. The class is the filled box at the top.
"""

from sklearn.datasets import load_wine

import wager
from wager.plots import plot_network

wine = load_wine()
columns = [0, 5, 6, 9, 10, 12]
names = [wine.feature_names[j] for j in columns]
X = wager.MDLDiscretizer().fit_transform(wine.data[:, columns], wine.target)
tan = wager.TAN().fit(X, wine.target)
plot_network(tan, feature_names=names)

# %%
# A network found by a search
# ---------------------------
#
# :class:`wager.CausalMML` searches all networks for the one with which the data can be stated in
# the shortest message. Here the class need not be at the top: it may depend on a feature. The
# heavier an arrow, the more probable it is that the two boxes are joined. A low ``search_factor``
# keeps this example quick.

from sklearn.datasets import load_iris

iris = load_iris()
X = wager.MDLDiscretizer().fit_transform(iris.data, iris.target)
found = wager.CausalMML(0.1, random_state=0).fit(X, iris.target)
plot_network(found, feature_names=iris.feature_names)
