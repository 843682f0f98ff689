"""
Compare two models while the rows arrive
========================================

Two models run side by side. When may you stop and pick one? A usual interval is right if you look
once. A *confidence sequence* is right at all times, so you may look after every row and stop when
you like.

The line is the mean difference so far, the band contains the true mean difference at all times
with 95% confidence. It starts wide and narrows. When it excludes 0, the comparison is decided:
the dashed line marks that row.
"""

from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import wager
from wager.plots import plot_confidence_sequence

X, y = load_digits(return_X_y=True)
X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, random_state=1)
near = KNeighborsClassifier().fit(X, y).predict(X_test)
bayes = GaussianNB().fit(X, y).predict(X_test)

race = wager.sequential(y_test, near, bayes, names=("nearest neighbours", "naive Bayes"))
plot_confidence_sequence(race)
print(race)

# %%
# Savings instead of utility
# --------------------------
#
# With ``costs=`` the same plot shows what the first model saves per case. Here a digit that is
# confused with a distant one costs more than one that is confused with its neighbour, as in
# prices. The method ``"mixture"`` does not assume that the difference stays the same over time;
# its band is wider in exchange.

costs = wager.CostMatrix.ordinal(range(10)).with_unit("EUR")
saving = wager.sequential(
    y_test, near, bayes, costs=costs, method="mixture", names=("nearest neighbours", "naive Bayes")
)
plot_confidence_sequence(saving)
