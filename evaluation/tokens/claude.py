"""Counts tokens for the families of Claude, with the package `ctok` (pip install ctok).

    python claude.py PIECES COUNTED

PIECES comes from `cargo run --release -p nidra-core --example tokens -- --export PIECES DIRECTORY...`, and
`... --example tokens -- --counts COUNTED` measures the estimate against what stands in COUNTED.
"""

import json
import sys

import ctok

# What the package adds for the message around a text.
AROUND = {"claude-3": ((), 7), "claude-4.7": (("4.8",), 6)}

with open(sys.argv[1], encoding="utf-8") as pieces, open(sys.argv[2], "w", encoding="utf-8") as counted:
    for line in pieces:
        piece = json.loads(line)
        for family, (version, around) in AROUND.items():
            piece["counts"][family] = ctok.token_count(piece["text"], *version) - around
        counted.write(json.dumps(piece, ensure_ascii=False) + "\n")
