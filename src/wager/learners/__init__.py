"""scikit-learn estimators, precise and credal."""

from wager.learners._aode import AODE
from wager.learners._c45 import C45
from wager.learners._naive_bayes import NaiveBayes
from wager.learners._tan import TAN

__all__ = ["AODE", "C45", "TAN", "NaiveBayes"]
