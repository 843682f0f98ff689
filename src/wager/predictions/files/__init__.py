"""Prediction files: reading, counting and writing them."""
