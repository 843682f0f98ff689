"""
Answer only where you are confident
===================================

A classifier need not answer every case. Sort the cases by its confidence and answer the most
confident ones only: how often are these answers wrong? The horizontal axis is the share of cases
that are answered, the vertical axis the share of errors among them, with 95% bands. A good
confidence score makes the line rise late, at the right end.
"""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

import wager
from wager.plots import plot_risk_coverage

X, y = load_digits(return_X_y=True)
X, X_test, y, y_test = train_test_split(X, y, train_size=0.5, random_state=0)
model = GaussianNB().fit(X, y)
labels, proba = model.predict(X_test), np.sort(model.predict_log_proba(X_test), axis=1)
lead = wager.evaluate_selective(y_test, labels, proba[:, -1] - proba[:, -2])
chance = wager.evaluate_selective(y_test, labels, np.random.default_rng(0).random(len(y_test)))
plot_risk_coverage({"lead of the first class": lead, "random order": chance})
print(lead)
