"""scikit-learn estimators, precise and credal."""

from wager.learners._aode import AODE
from wager.learners._naive_bayes import NaiveBayes

__all__ = ["AODE", "NaiveBayes"]
