"""
What a report of probabilities earns
====================================

How should a classifier be paid for its probabilities? The plot shows three *information rewards*
against the probability that was reported for the true class. All pay nothing for repeating the
prior (the dotted line): only what the classifier *adds* to the class frequencies counts. To the
left of it the report was misleading, and the reward is negative. The 2004 information reward is
earned best by honest reports; the others can pay for exaggeration when the classes are not
equally frequent (Hope & Korb, 2004).

The first figure has equal class frequencies, the second one those of breast tumours.
"""

from wager.plots import plot_reward_curves

plot_reward_curves()

# %%
# Frequencies of real data
# ------------------------
#
# The more unusual the true class, the more a correct report is worth. The panels show what is
# paid when the most frequent and the least frequent kind of tumour is true.

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer

from wager.metrics import prior_from_labels

tumours = load_breast_cancer()
prior = prior_from_labels(tumours.target)

figure, panels = plt.subplots(1, 2, figsize=(9.4, 3.8), sharey=True, layout="constrained")
for ax, code in zip(panels, np.argsort(prior)[::-1], strict=True):
    plot_reward_curves(prior, int(code), ax=ax)
    ax.set_title(f"{tumours.target_names[code]} (prior {prior[code]:.2f}) is true")
