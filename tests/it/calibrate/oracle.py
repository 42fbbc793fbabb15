#!/usr/bin/env python3
"""Writes oracle.json: tails and exact bounds as scipy says them, for tests/it/calibrate/oracle.rs.

    python3 -m venv /tmp/scipy && /tmp/scipy/bin/pip install scipy
    /tmp/scipy/bin/python tests/it/calibrate/oracle.py
"""

import itertools
import json
import pathlib

import scipy
from scipy.stats import beta, binom, hypergeom


def rounded(value):
    return float(f"{value:.15g}")


def binomial():
    for n, p in itertools.product([1, 7, 149, 236, 1000, 20000, 200000], [0.001, 0.005, 0.02, 0.05, 0.3, 0.9]):
        for k in sorted({0, 1, 2, int(n * p * 0.5), int(n * p), int(n * p * 1.5), n - 1}):
            if 0 <= k < n:
                yield [k, n, p, rounded(binom.cdf(k, n, p))]


def hypergeometric():
    for population, share, part in itertools.product([10, 100, 500, 2000, 100000], [0.01, 0.02, 0.2, 0.7], [0.05, 0.3, 0.9]):
        wrong, drawn = int(population * share) + 1, int(population * part) + 1
        for k in sorted({0, 1, 3, int(drawn * share * 0.5), int(drawn * share), int(drawn * share * 1.4)}):
            yield [k, population, wrong, drawn, rounded(hypergeom.cdf(k, population, wrong, drawn))]


def upper_bounds():
    for n, delta in itertools.product([1, 20, 149, 500, 3000, 100000], [0.001, 0.025, 0.05, 0.2]):
        for k in sorted({0, 1, 5, n // 50, n // 4, n - 1}):
            if 0 <= k < n:
                yield [k, n, delta, rounded(beta.ppf(1 - delta, k + 1, n - k))]


def most_wrong():
    for population, delta in itertools.product([60, 500, 2000], [0.01, 0.05]):
        for n, k in itertools.product([30, 59, population // 3, population], [0, 1, 4]):
            possible = range(k, population - (n - k) + 1)
            yield [k, n, population, delta, max(m for m in possible if hypergeom.cdf(k, population, m, n) > delta)]


if __name__ == "__main__":
    tables = {
        "scipy": scipy.__version__,
        "binomial_cdf": list(binomial()),
        "hypergeometric_cdf": list(hypergeometric()),
        "upper_bound": list(upper_bounds()),
        "most_wrong": list(most_wrong()),
    }
    lines = [f'  "scipy": {json.dumps(tables.pop("scipy"))}']
    for name, rows in tables.items():
        lines.append(f'  "{name}": [\n' + ",\n".join("    " + json.dumps(row) for row in rows) + "\n  ]")
    target = pathlib.Path(__file__).with_name("oracle.json")
    target.write_text("{\n" + ",\n".join(lines) + "\n}\n")
