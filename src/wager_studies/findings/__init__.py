"""Studies beyond the papers: conformal and credal sets, tuned caution, robustness."""
