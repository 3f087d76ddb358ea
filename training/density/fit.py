"""Fits the weights of the signals of turns that are not a person's: fit.py SIGNALS.

SIGNALS comes from `cargo run --release -p nidra-rules --example density -- --signals SIGNALS SCENARIOS...`. A logistic model
over all turns, in which a person's turn has its worth for its only signal, puts both on one scale. Prints the weights and the
worth of a turn without any signal for `SIGNALS` and `BASE` in `crates/nidra-rules/src/density/others.rs`.
"""

import json
import sys

import numpy

RIDGE = 1.0
ROUNDS = 50


def main(path):
    with open(path, encoding="utf-8") as lines:
        turns = [json.loads(line) for line in lines]
    width = next(len(turn["signals"]) for turn in turns if turn["signals"])
    rows, kept = [], []
    for turn in turns:
        person = turn["signals"] is None
        # Where a candidate of the engine's rests on the turn, its score decides.
        if not person and turn["value"] > 0.3:
            continue
        signals = [0.0] * width if person else turn["signals"]
        rows.append([float(person), turn["value"] if person else 0.0, float(not person), *signals])
        kept.append(float(turn["kept"]))
    rows, kept = numpy.array(rows), numpy.array(kept)
    weights = numpy.zeros(rows.shape[1])
    for _ in range(ROUNDS):
        chance = 1 / (1 + numpy.exp(-rows @ weights))
        slope = rows.T @ (rows * (chance * (1 - chance))[:, None]) + RIDGE * numpy.eye(len(weights))
        weights += numpy.linalg.solve(slope, rows.T @ (kept - chance) - RIDGE * weights)
    zero, scale, base, *signals = weights
    print("base", round((base - zero) / scale, 3))
    for number, weight in enumerate(signals):
        print(number, round(weight / scale, 3))


if __name__ == "__main__":
    main(sys.argv[1])
