"""
Which users does each classifier suit?
======================================

A cautious classifier sometimes names two classes instead of one. Is that better? It depends on
what a correct set of two classes is worth to you: half as much as a correct class, or nearly as
much? A *risk profile* shows the answer for every user at once. On the horizontal axis is u(0.5),
the value of a correct set of two classes; on the vertical axis is what each classifier earns on
average. Take the classifier whose line is the highest at *your* value.

Shaded bands are 95% intervals of each classifier. Where two lines cross, both earn the same: the
*break-even point*. The bar at the bottom covers the values at which the data do not distinguish
the two classifiers. This script needs ``pip install 'wager[conformal]'``.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

import wager
from wager.plots import plot_risk_profile

X, y = load_breast_cancer(return_X_y=True)
X, X_test, y, y_test = train_test_split(X, y, train_size=60, stratify=y, random_state=0)
plain = make_pipeline(wager.MDLDiscretizer(), wager.NaiveBayes()).fit(X, y)
credal = make_pipeline(wager.MDLDiscretizer(), wager.NaiveCredal()).fit(X, y)

names = ("naive credal", "naive Bayes")
bets = wager.PairedTally.of(y_test, wager.predict_set(credal, X_test), plain.predict(X_test))
even = wager.break_even(bets, names=names)
profile = wager.risk_profile({names[0]: bets.a, names[1]: bets.b})
plot_risk_profile(profile, {names: even})
print(even)

# %%
# Naive Bayes always names one class, so its line is flat. The naive credal classifier gains with
# u(0.5): it is ahead to the right of the crossing, and significantly so only to the right of the
# bar.
#
# More classifiers, your own Axes
# -------------------------------
#
# The mapping may hold any number of classifiers. The figure here is made by hand, without bands;
# a comparison of all pairs is :func:`wager.head_to_head`.

from matplotlib import pyplot as plt
from sklearn.ensemble import RandomForestClassifier

forest = RandomForestClassifier(50, random_state=0)
conformal = wager.Conformal(forest, alpha=0.1, method="aps", random_state=0).fit(X, y)
rejecting = wager.Rejecting(forest, threshold=0.8).fit(X, y)
answers = {
    "naive Bayes": plain.predict(X_test),
    "naive credal": wager.predict_set(credal, X_test),
    "conformal forest": conformal.predict_set(X_test),
    "rejecting forest": rejecting.predict_set(X_test),
}
tallies = {name: wager.Tally.of(y_test, answer) for name, answer in answers.items()}

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
plot_risk_profile(tallies, ax=ax, bands=False)
ax.set_title("Four classifiers, 60 training rows")
