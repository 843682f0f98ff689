"""Naive Bayes and the naive credal classifiers."""
