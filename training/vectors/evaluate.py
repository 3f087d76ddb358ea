"""Figures of an embedding on the question sets: recall, and how well the same is told from the similar: evaluate.py TABLE."""

import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).parent


def read(name):
    """The rows of a question set, by kind."""
    rows = {"en": [], "zh": [], "cross": [], "same": [], "other": []}
    for line in (HERE / name).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            kind, first, second = line.split("\t")
            rows[kind].append((first, second))
    return rows


def texts(name):
    """Every text of a question set, so that none of them is trained on."""
    return [text for pairs in read(name).values() for pair in pairs for text in pair]


def unit(vectors):
    """The vectors scaled to length one; nothing stays nothing."""
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def recall(queries, memories, wanted):
    """R@1, R@5 and the mean reciprocal rank, ties counted against."""
    scores = queries @ memories.T
    own = scores[np.arange(len(wanted)), wanted]
    ranks = (scores >= own[:, None] - 1e-6).sum(axis=1)
    return (ranks == 1).mean(), (ranks <= 5).mean(), (1 / ranks).mean()


def figures(name, embed):
    """All figures of one set for `embed(texts, is_query) -> matrix`."""
    rows = read(name)
    out = {}
    memories = {}
    for kind in ("en", "zh"):
        memories[kind] = unit(embed([memory for memory, _ in rows[kind]], False))
        queries = unit(embed([query for _, query in rows[kind]], True))
        out[kind] = recall(queries, memories[kind], np.arange(len(queries)))
    place = {memory: index for index, (memory, _) in enumerate(rows["zh"])}
    queries = unit(embed([query for _, query in rows["cross"]], True))
    out["cross"] = recall(queries, memories["zh"], np.array([place[memory] for memory, _ in rows["cross"]]))
    scores = {}
    for kind in ("same", "other"):
        first = unit(embed([pair[0] for pair in rows[kind]], False))
        second = unit(embed([pair[1] for pair in rows[kind]], False))
        scores[kind] = (first * second).sum(axis=1)
    over = scores["same"][:, None] - scores["other"][None, :]
    out["pairs"] = ((over > 0).mean() + 0.5 * (over == 0).mean(),)
    return out


def line(name, embed):
    """The figures of one set as one printable line."""
    found = figures(name, embed)
    parts = [f"{kind} " + "/".join(f"{value:.2f}" for value in values) for kind, values in found.items()]
    return f"{name:14} " + "  ".join(parts)


def report(title, embed):
    """Prints the figures of both sets."""
    print(title)
    for name in ("reference.tsv", "held_out.tsv"):
        print("  " + line(name, embed), flush=True)


if __name__ == "__main__":
    import table

    report(sys.argv[1], table.Table(pathlib.Path(sys.argv[1]).read_bytes()).embed)
