"""
The value of admitting ignorance
================================

Two classifiers know nothing. The *random* one names one class by chance, the *vacuous* one always
names all classes. Both earn the same on average, but the random one may have bad luck. A user who
dislikes risk therefore prefers the vacuous classifier. By how much? The plot shows its lead in
utility against the number of bets: one line per number of classes, with a dot where the lead is
largest. In the long run luck averages out, and the lead vanishes (Zaffalon, Corani & Mauá, 2012).

Breast tumours have two classes, wines have three, handwritten digits have ten.
"""

from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from wager.plots import plot_random_vs_vacuous

numbers = [len(set(load().target)) for load in (load_breast_cancer, load_wine, load_digits)]
plot_random_vs_vacuous(numbers)

# %%
# Exact, and approximated
# -----------------------
#
# Figure 1 of the paper uses a second-order approximation of the logarithm. It puts the largest
# lead at as many bets as there are classes; in truth it comes later for three or more classes.

from matplotlib import pyplot as plt

figure, panels = plt.subplots(2, 1, figsize=(7, 7), sharex=True, layout="constrained")
for ax, exact in zip(panels, [True, False], strict=True):
    plot_random_vs_vacuous(numbers, ax=ax, exact=exact)
    ax.set_title("exact" if exact else "second order")
    ax.label_outer()
