"""The classifiers of the field, precise and credal, as scikit-learn estimators."""
