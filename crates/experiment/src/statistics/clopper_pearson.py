"""Writes clopper_pearson.csv: exact intervals of shares by scipy's beta quantiles.

    pip install scipy && python3 clopper_pearson.py > clopper_pearson.csv
"""

from scipy.stats import beta

print("successes,trials,confidence,low,high")
for trials in (1, 2, 3, 5, 10, 30, 59, 149, 236, 500, 1_000, 20_000, 1_000_000):
    middle = {0, 1, 2, trials // 50, trials // 10, trials // 2, trials - 1, trials}
    for successes in sorted(k for k in middle if 0 <= k <= trials):
        for confidence in (0.9, 0.95, 0.999):
            tail = (1 - confidence) / 2
            low = beta.ppf(tail, successes, trials - successes + 1) if successes else 0.0
            high = beta.ppf(1 - tail, successes + 1, trials - successes) if successes < trials else 1.0
            print(f"{successes},{trials},{confidence},{low:.15g},{high:.15g}")
