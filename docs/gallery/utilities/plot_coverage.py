"""
Do the sets keep their promise in every class?
==============================================

A predictor may contain the true class in 90% of all cases, as promised, and still fail in one
class. The plot shows the coverage of all rows and of each class, with intervals that are right
*together* with 95% confidence. Orange triangles are significantly below the promise, which is the
dashed line; circles are not significantly different from it.
"""

from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

import wager
from wager.plots import plot_coverage

X, y = load_digits(return_X_y=True)
X, X_test, y, y_test = train_test_split(X, y, train_size=0.5, random_state=0)
proba = GaussianNB().fit(X, y).predict_proba(X_test)
sets = proba >= 0.1 * proba.max(axis=1, keepdims=True)
report = wager.coverage_report(y_test, sets, alpha=0.1)
plot_coverage(report)
print(report)
