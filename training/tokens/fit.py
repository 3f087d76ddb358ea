"""Fits the prices of each family of tokenizers: fit.py FEATURES.

FEATURES comes from `cargo run --release -p nidra-core --example tokens -- --features FEATURES COUNTED`. Prints the rows for
`Family::prices`, with the mean absolute error of each kind of text on what was fitted.
"""

import collections
import json
import sys

import numpy

# Kana, hangul and letters of other scripts: fitted on texts of their own, which these are not.
GIVEN = {
    "cl100k": {16: 1.07, 17: 1.37, 18: 0.51},
    "o200k": {16: 0.79, 17: 0.85, 18: 0.31},
    "claude-3": {16: 0.91, 17: 1.46, 18: 0.44},
    "claude-4.7": {16: 0.91, 17: 1.46, 18: 0.45},
    "gemma": {16: 0.47, 17: 0.76, 18: 0.28},
}


def fit(runs, counts, weights, given):
    """Least squares of the relative error; a price that would be negative is none."""
    prices = numpy.zeros(runs.shape[1])
    for kind, price in given.items():
        prices[kind] = price
    left = counts - runs @ prices
    active = [kind for kind in range(runs.shape[1]) if kind not in given]
    while True:
        scale = weights / counts
        found, *_ = numpy.linalg.lstsq(runs[:, active] * scale[:, None], left * scale, rcond=None)
        if (found >= 0).all():
            prices[active] = found
            return prices.round(2)
        active = [kind for kind, price in zip(active, found) if price >= 0]


def main(path):
    with open(path, encoding="utf-8") as lines:
        pieces = [json.loads(line) for line in lines]
    for family, given in GIVEN.items():
        known = [piece for piece in pieces if piece["counts"].get(family, 0) > 200]
        if not known:
            continue
        kinds = [piece["kind"] for piece in known]
        number = collections.Counter(kinds)
        weights = numpy.array([number[kind] ** -0.5 for kind in kinds])
        runs = numpy.array([piece["runs"] for piece in known], float)
        counts = numpy.array([piece["counts"][family] for piece in known], float)
        prices = fit(runs, counts, weights, given)
        print(f"{family}: [{', '.join(f'{price:.2f}' for price in prices)}]")
        errors = runs @ prices / counts - 1
        for kind in number:
            of_kind = errors[[one == kind for one in kinds]]
            print(f"    {kind:<12}{abs(of_kind).mean():7.1%} bias {of_kind.mean():+6.1%}  {len(of_kind)} pieces")


if __name__ == "__main__":
    main(sys.argv[1])
