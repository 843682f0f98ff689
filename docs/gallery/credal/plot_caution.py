"""
How cautious should a classifier be?
====================================

The naive credal classifier has a strength ``s``: the larger it is, the more classes it names.
`TunedCaution` chooses the strength by cross-validation for *your* utility or costs. The line shows
what each strength earns, the band is its 95% interval, and the diamond marks the choice. Dots mark
all strengths that may be the best with 95% confidence: if they are many, the data hardly care which
one you take.
"""

from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline

import wager
from wager.plots import plot_caution

X, y = load_wine(return_X_y=True)
model = make_pipeline(wager.MDLDiscretizer(), wager.NaiveCredal())
tuned = wager.TunedCaution(model, utility="u80").fit(X, y)
plot_caution(tuned.curve_)
print(tuned.curve_)
