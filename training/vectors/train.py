"""Learns the table from what the teachers said: train.py FOLDER TABLE [DIMENSIONS [EPOCHS]].

A text is the mean of its rows. Its goal is what the teachers say of it: for English MiniLM and the universal encoder
side by side; for Chinese the goal of its English twin, and what the multilingual teachers say of the Chinese words,
carried into the same space. Rows learn three things at once: to point where the goal points, to keep the
neighbours that the goals have among each other, and that a Chinese text is next to its English twin.
"""

import json
import pathlib
import sys

import numpy as np
from scipy import sparse

import evaluate
import table
import tokens
from teachers import lists

SEED = 11
BATCH = 1024
RATE = 0.006
DROPPED = 0.15
WARMTH = 0.06
BESIDE = {"minilm": 1.0, "universal": 0.9}
HELD_BACK = 1000
EVENED = 0.3


def taught(folder, teacher, name):
    """What a teacher said of the first texts of a list, as unit vectors."""
    blocks = sorted((folder / "taught").glob(f"{teacher}-{name}-[0-9]*.npy"))
    if not blocks:
        return None
    return evaluate.unit(np.concatenate([np.load(block) for block in blocks]).astype(np.float32))


def ridge(inputs, goals, strength):
    """The linear map with the least squared error, a constant included."""
    inputs = with_constant(inputs)
    square = inputs.T @ inputs + strength * np.eye(inputs.shape[1], dtype=np.float32)
    return np.linalg.solve(square, inputs.T @ goals)


def with_constant(inputs):
    return np.hstack([inputs, np.ones((len(inputs), 1), np.float32)])


def goals(folder, dimensions):
    """The goal of every taught text by list: a dictionary of matrices of unit rows."""
    out, english = {}, {}
    for name in ("english", "pairs-english", "questions", "tools", "rows-english"):
        both = [taught(folder, teacher, name) for teacher in BESIDE]
        count = min(len(part) for part in both)
        english[name] = [part[:count] for part in both]
    middle = [part.mean(axis=0) for part in english["english"]]
    for name, both in english.items():
        sides = [weight * (part - mean) for weight, part, mean in zip(BESIDE.values(), both, middle)]
        english[name] = np.hstack(sides)
    sample = np.vstack([english["english"], english["pairs-english"]])
    _, _, axes = np.linalg.svd(sample[::5] - sample.mean(axis=0), full_matrices=False)
    for name, rows in english.items():
        out[name] = evaluate.unit(rows @ axes[:dimensions].T)

    # The multilingual teachers' view of Chinese, carried into the space of the English goals over the pairs.
    twins = out["pairs-english"]
    universal = taught(folder, "universal", "pairs-chinese")
    count = min(len(universal), len(twins))
    known = slice(HELD_BACK, count)
    carry = ridge(universal[known], twins[known], 3.0)
    for name in ("pairs-chinese", "chinese", "chinese-questions", "chinese-tools", "words", "rows-chinese"):
        out[name] = evaluate.unit(with_constant(taught(folder, "universal", name)) @ carry)
    print("universal carried over: cosine to the twin", (out["pairs-chinese"][:HELD_BACK] * twins[:HELD_BACK]).sum(1).mean())
    second = taught(folder, "e5", "pairs-chinese")
    if second is not None:
        wide = np.hstack([universal[: len(second)], 3 * (second - second.mean(axis=0))])
        seen = slice(HELD_BACK, min(len(second), count))
        better = evaluate.unit(with_constant(wide) @ ridge(wide[seen], twins[seen], 3.0))
        print("with E5:", (better[:HELD_BACK] * twins[:HELD_BACK]).sum(1).mean(), len(second), "texts")
        out["pairs-chinese"][: len(second)] = better
    out["pairs-chinese"][:count] = evaluate.unit(out["pairs-chinese"][:count] + twins[:count])
    return out


class Bags:
    """Texts as a sparse matrix of how often each row stands in each text."""

    def __init__(self, texts, place):
        starts, columns = [0], []
        for text in texts:
            columns += [place[name] for name in tokens.tokens(text, place.__contains__)]
            starts.append(len(columns))
        self.starts = np.array(starts)
        self.columns = np.array(columns, np.int32)

    def take(self, which, generator, dropped):
        """The mean matrix of some texts with a part of their rows dropped by chance."""
        spans = [self.columns[self.starts[index] : self.starts[index + 1]] for index in which]
        lengths = np.array([len(span) for span in spans])
        columns = np.concatenate(spans)
        weights = np.ones(len(columns), np.float32)
        if dropped:
            # Short texts keep all their rows.
            long = np.repeat(lengths, lengths) > 3
            weights[(generator.random(len(columns)) < dropped) & long] = 0
        rows, local = np.unique(columns, return_inverse=True)
        starts = np.concatenate([[0], np.cumsum(lengths)])
        matrix = sparse.csr_matrix((weights, local, starts), shape=(len(which), len(rows)))
        total = np.maximum(np.asarray(matrix.sum(axis=1)).ravel(), 1)
        return rows, sparse.diags((1 / total).astype(np.float32)) @ matrix

    def vectors(self, which, rows_of):
        rows, matrix = self.take(which, None, 0)
        return matrix @ rows_of[rows]


def softmax(scores):
    scores = np.exp(scores - scores.max(axis=1, keepdims=True))
    return scores / scores.sum(axis=1, keepdims=True)


def neighbours(found, wanted):
    """How far the neighbours within a batch are from those of the goals; the slope by each vector."""
    away = -1e4 * np.eye(len(found), dtype=np.float32)
    difference = softmax(found @ found.T / WARMTH + away) - softmax(wanted @ wanted.T / WARMTH + away)
    return (difference + difference.T) @ found / (WARMTH * len(found))


def beside(first, second):
    """The slope of each side of pairs that should find each other among all of a batch."""
    scores = first @ second.T / WARMTH
    aim = np.eye(len(first), dtype=np.float32)
    difference = (softmax(scores) - aim + (softmax(scores.T) - aim).T) / (2 * len(first) * WARMTH)
    return difference @ second, difference.T @ first


class Adam:
    """Adam that touches only the rows of the batch."""

    def __init__(self, shape):
        self.first = np.zeros(shape, np.float32)
        self.second = np.zeros(shape, np.float32)
        self.steps = np.zeros(shape[0], np.int32)

    def step(self, values, rows, slope, rate):
        self.steps[rows] += 1
        count = self.steps[rows][:, None]
        self.first[rows] = 0.9 * self.first[rows] + 0.1 * slope
        self.second[rows] = 0.99 * self.second[rows] + 0.01 * slope * slope
        first = self.first[rows] / (1 - 0.9**count)
        second = self.second[rows] / (1 - 0.99**count)
        values[rows] -= (rate * first / (np.sqrt(second) + 1e-8)).astype(np.float32)


def start_rows(wanted, names, bags):
    """Rows before training: what the teachers say of the token alone, lighter the more often it occurs."""
    counts = sum(np.bincount(bag.columns, minlength=len(names)) for bag in bags)
    share = counts / counts.sum()
    weight = 1e-3 / (1e-3 + share)
    rows = np.vstack([wanted["rows-english"], wanted["rows-chinese"]])
    if len(rows) != len(names):
        raise ValueError("the teachers were not asked about every row")
    return (rows * weight[:, None]).astype(np.float32)


def learn(folder, dimensions, epochs):
    """The rows after training, and their names."""
    texts = dict(lists(folder))
    vocabulary = json.loads((folder / "vocabulary.json").read_text(encoding="utf-8"))
    names = vocabulary["english"] + vocabulary["chinese"]
    place = {name: index for index, name in enumerate(names)}
    wanted = goals(folder, dimensions)
    order = (
        "english",
        "pairs-english",
        "pairs-chinese",
        "questions",
        "tools",
        "chinese",
        "chinese-questions",
        "chinese-tools",
        "words",
    )
    bags = {name: Bags(texts[name][: len(wanted[name])], place) for name in order}
    rows = start_rows(wanted, names, bags.values())
    embed = lambda some, _: Bags(some, place).vectors(range(len(some)), rows)
    evaluate.report("before training", embed)

    generator = np.random.default_rng(SEED)
    adam = Adam(rows.shape)
    usable = {name: np.flatnonzero(np.diff(bags[name].starts) > 0) for name in order}
    # The first texts of the large lists only tell how training goes.
    usable |= {name: usable[name][usable[name] >= HELD_BACK] for name in order[:3]}
    twins = np.intersect1d(usable["pairs-english"], usable["pairs-chinese"])
    alone = np.concatenate([
        np.stack([np.full(len(usable[name]), number), usable[name]], axis=1)
        for number, name in enumerate(order)
        if name not in ("pairs-english", "pairs-chinese")
    ] + [
        np.stack([np.full(len(rest), 2), rest], axis=1) for rest in [np.setdiff1d(usable["pairs-chinese"], twins)]
    ])
    batches = len(alone) // BATCH + len(twins) // BATCH
    for epoch in range(epochs):
        # Batches of one kind of text have closer neighbours to tell apart than mixed ones would have.
        work = []
        alone = alone[generator.permutation(len(alone))]
        for number in np.unique(alone[:, 0]):
            which = alone[alone[:, 0] == number, 1]
            work += [(order[number], part) for part in np.array_split(which, max(1, len(which) // BATCH))]
        pairs = generator.permutation(twins)
        work += [("pairs", part) for part in np.array_split(pairs, len(twins) // (BATCH // 2))]
        for index in generator.permutation(len(work)):
            name, which = work[index]
            rate = RATE * (0.02 + 0.98 * (1 - (epoch + 0.5) / epochs))
            if name == "pairs":
                update(rows, adam, generator, rate, [bags["pairs-english"], bags["pairs-chinese"]], which,
                       [wanted["pairs-english"], wanted["pairs-chinese"]])
            else:
                update(rows, adam, generator, rate, [bags[name]], which, [wanted[name]])
        held = range(HELD_BACK)
        close = {
            name: (evaluate.unit(bags[name].vectors(held, rows)) * wanted[name][:HELD_BACK]).sum(axis=1).mean()
            for name in order[:3]
        }
        print(epoch, {name: round(float(value), 3) for name, value in close.items()}, flush=True)
    evaluate.report("after training", embed)
    seen = np.vstack([bags[name].vectors(range(HELD_BACK), rows) for name in order[:4]])
    rows = evened(rows, evaluate.unit(seen))
    evaluate.report("evened", embed)
    return names, rows


def evened(rows, seen):
    """Rows whose axes differ less in how much they vary over texts: else a few broad subjects outweigh the rest."""
    variance, axes = np.linalg.eigh(np.cov(seen.T))
    return (rows @ (axes * (variance / variance.max()) ** (-EVENED / 2))).astype(np.float32)


def update(rows, adam, generator, rate, sides, which, wanted):
    """One step on a batch of texts, or of pairs of texts."""
    found, slopes, parts = [], [], []
    for bag, goal in zip(sides, wanted):
        touched, matrix = bag.take(which, generator, DROPPED)
        raw = matrix @ rows[touched]
        length = np.maximum(np.linalg.norm(raw, axis=1, keepdims=True), 1e-6)
        unit = raw / length
        aim = goal[which]
        found.append(unit)
        slopes.append(-aim / len(which) + 0.5 * neighbours(unit, aim) * WARMTH)
        parts.append((touched, matrix, unit, length))
    if len(sides) == 2:
        for slope, other in zip(slopes, beside(*found)):
            slope += 0.5 * WARMTH * other
    for (touched, matrix, unit, length), slope in zip(parts, slopes):
        slope = (slope - unit * (slope * unit).sum(axis=1, keepdims=True)) / length
        adam.step(rows, touched, matrix.T @ slope, rate)


def main(folder, path, dimensions=128, epochs=9):
    names, rows = learn(folder, dimensions, epochs)
    np.savez(folder / "rows.npz", rows=rows)
    path.write_bytes(table.pack(names, rows))
    print(f"{len(names)} rows, {path.stat().st_size} bytes")
    evaluate.report("as stored", table.Table(path.read_bytes()).embed)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), *map(int, sys.argv[3:]))
