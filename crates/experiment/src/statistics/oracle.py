"""Writes oracle.json, which the tests of this folder are held against: python3 oracle.py (numpy, scipy)."""

import json
import math
import pathlib

import numpy as np
from scipy import stats

rng = np.random.default_rng(1)


def holm(p):
    order = sorted(range(len(p)), key=lambda at: p[at])
    adjusted, highest = [0.0] * len(p), 0.0
    for rank, at in enumerate(order):
        highest = max(highest, min(1.0, p[at] * (len(p) - rank)))
        adjusted[at] = highest
    return adjusted


def needed(mean, deviation, alpha, power):
    z = stats.norm.ppf(1 - alpha / 2) + stats.norm.ppf(power)
    return [mean, deviation, alpha, power, max(2, math.ceil((z * deviation / abs(mean)) ** 2))]


def bootstrap(values):
    found = stats.bootstrap((values,), np.mean, n_resamples=20000, method="percentile", rng=np.random.default_rng(2))
    return [list(values), found.confidence_interval.low, found.confidence_interval.high]


pairs = [(0, 0), (0, 1), (1, 0), (3, 9), (10, 10), (12, 25), (0, 30), (100, 140), (1500, 1600), (20000, 20500)]
quantiles = [1e-300, 1e-20, 1e-9, 0.001, 0.025, 0.05, 0.2, 0.425, 0.5, 0.75, 0.8, 0.925, 0.95, 0.975, 0.999, 1 - 1e-9]
lists = [sorted(rng.normal(size=size)) for size in (1, 2, 3, 10, 101)]
ps = [[0.01], [0.01, 0.04, 0.03, 0.005], [0.5, 0.5, 0.5], [1e-9, 0.2, 0.02, 0.02, 0.9], [1.0, 0.0, 0.3]]

tables = {
    "normal_quantile": [[p, stats.norm.ppf(p)] for p in quantiles],
    # scipy's exact test of a share of one half, which McNemar's exact test is.
    "mcnemar_exact": [[b, c, stats.binomtest(b, b + c, 0.5).pvalue if b + c else 1.0] for b, c in pairs],
    "holm": [[p, holm(p)] for p in ps],
    "documents_needed": [
        needed(*row)
        for row in [(0.02, 0.3, 0.05, 0.8), (-0.001, 0.01, 0.05, 0.8), (0.5, 0.1, 0.01, 0.9), (1e-5, 0.2, 0.05, 0.8)]
    ],
    "quantile": [[list(values), q, np.quantile(values, q)] for values in lists for q in (0, 0.025, 0.5, 0.9, 1)],
    "bootstrap_mean": [
        bootstrap(np.round(values, 6))
        for values in (rng.normal(size=60), rng.exponential(size=40), rng.integers(-1, 2, size=200))
    ],
}
text = json.dumps(tables, indent=1, default=float)
pathlib.Path(__file__).with_name("oracle.json").write_text(text + "\n")
