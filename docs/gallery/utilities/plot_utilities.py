"""
What is a correct set worth?
============================

A classifier that names *k* classes divides its bet among them, so a correct set has the
*discounted accuracy* 1/*k*. Most people prefer a certain half to a coin flip between all and
nothing; a *utility* says how much. The plot shows the value of a correct set against its
discounted accuracy, with a point for each set size. The dashed diagonal does not reward caution.
The further a curve is above it, the more its user is willing to pay for certainty: u65 gives 0.65
to a correct set of two classes, u80 gives 0.80 (Zaffalon, Corani & Mauá, 2012).
"""

from wager.plots import plot_utilities

plot_utilities()

# %%
# Other families of utilities, and a number
# -----------------------------------------
#
# Names, numbers and functions can be mixed: a number is the value of a correct set of two
# classes. The vertical order at 1/2 is the order of caution.

plot_utilities(["u65", "f1", "log-norm", 0.75, "exp-norm:2"], n_classes=6)

# %%
# What the choice does to a score
# -------------------------------
#
# A credal tree learns from 20 wines and sometimes names several of the three kinds. The more a
# utility rewards caution, the higher the score of the same answers.

from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

import wager

X, y = load_wine(return_X_y=True)
X, X_test, y, y_test = train_test_split(X, y, train_size=20, stratify=y, random_state=0)
sets = wager.CredalTree(s=2).fit(X, y).predict_set(X_test)
wager.evaluate_sets(y_test, sets)
