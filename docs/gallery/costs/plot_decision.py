"""
The cheapest answer by probability
==================================

A tumour is benign or malignant, and you know what errors cost. From which probability on should a
doctor say "malignant", and when is it cheaper to say "both are possible"? The plot shows the
expected cost of each of the three answers against the probability of the second class. The lowest
line wins; the colours behind it show which answer that is, and the axis names the probabilities
at which it changes (Yang, Destercke & Masson, 2017, Figure 2).
"""

import wager
from wager.plots import plot_decision

costs = wager.CostMatrix([[0, 12], [4, 0]], classes=["benign", "malignant"])
extended = costs.extend("p-discounted", r=0.5)
plot_decision(extended)
for part in wager.costs.decision_intervals(extended):
    print(part)

# %%
# A missed malignant tumour is the most expensive error here, so the answer "benign" needs a small
# probability of "malignant".
#
# On real tumours
# ---------------
#
# Below the lines is a histogram of the probabilities that a classifier reports. Most tumours are
# outside the two thresholds and get one name; those in between get both.

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

tumours = load_breast_cancer()
malignant = tumours.target_names[tumours.target] == "malignant"
model = make_pipeline(StandardScaler(), LogisticRegression(C=0.01))
reported = cross_val_predict(model, tumours.data, malignant, cv=5, method="predict_proba")[:, 1]

figure, (above, below) = plt.subplots(
    2, 1, figsize=(7, 5.4), sharex=True, height_ratios=[2, 1], layout="constrained"
)
plot_decision(extended, ax=above)
above.set_xlabel("")
below.hist(
    [reported[~malignant], reported[malignant]],
    bins=np.linspace(0, 1, 26),
    stacked=True,
    color=["#0072B2", "#D55E00"],
    label=["benign", "malignant"],
)
below.set(xlabel="p(malignant | x)", ylabel="tumours")
below.legend(title="true class", frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
