"""
What a tree has learned
=======================

A decision tree can be read: the root is on the left, each branch names its condition, and each
leaf says what is predicted and from how many rows. A leaf has the colour of its most frequent
class, and is paler if it contains others.

C4.5 predicts one class in each leaf. The numbers behind it are the rows in the leaf and, after
the slash, the errors among them.
"""

from sklearn.datasets import load_iris

import wager
from wager.plots import plot_tree

iris = load_iris()
y = iris.target_names[iris.target]
c45 = wager.C45().fit(iris.data, y)
plot_tree(c45, feature_names=iris.feature_names)

# %%
# A credal tree
# -------------
#
# A credal tree has intervals of probabilities in its leaves, and predicts all classes that these
# do not rule out. This one sees the sepals of every third iris. The fewer rows a leaf has, the
# wider its intervals.

credal = wager.CredalTree(s=2, max_depth=3).fit(iris.data[::3, :2], y[::3])
plot_tree(credal, feature_names=iris.feature_names[:2])

# %%
# A large tree
# ------------
#
# ``max_leaves`` cuts a large tree at a depth; a box then says how many leaves are behind it.

from sklearn.datasets import load_digits

digits = load_digits()
large = wager.C45().fit(digits.data, digits.target)
plot_tree(large, feature_names=digits.feature_names, max_leaves=12)
