"""Fits the prices of each family of tokenizers: fit.py FEATURES.

FEATURES comes from `cargo run --release -p nidra-core --example tokens -- --features FEATURES COUNTED`. Prints the rows for
`Family::prices`, with the mean absolute error of each kind of text on what was fitted.
"""

import collections
import json
import sys

import numpy

# What the corpus has too little of: kana, hangul and letters of other scripts, fitted on texts of their own; and what only
# noise and endless runs have, priced by what tokenizers make of such texts (`unlikely` in the tests of the estimate).
GIVEN = {
    "cl100k": {16: 1.07, 17: 1.37, 18: 0.51, 21: 0.5, 22: 0.45, 23: 0.5, 24: 0.5, 25: 2.8, 26: 2.4},
    "o200k": {16: 0.79, 17: 0.85, 18: 0.31, 21: 0.5, 22: 0.45, 23: 0.5, 24: 0.5, 25: 1.8, 26: 2.2},
    "claude-3": {16: 0.91, 17: 1.46, 18: 0.44, 20: 0.3, 21: 0.6, 22: 0.5, 23: 1.0, 24: 1.0, 25: 2.8, 26: 2.5},
    "claude-4.7": {16: 0.91, 17: 1.46, 18: 0.45, 20: 0.3, 21: 0.8, 22: 0.4, 23: 1.0, 24: 1.0, 25: 2.8, 26: 2.5},
    "gemma": {16: 0.47, 17: 0.76, 18: 0.28, 20: 0.25, 21: 0.5, 22: 0.6, 23: 0.5, 24: 1.0, 25: 1.4, 26: 2.2},
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
