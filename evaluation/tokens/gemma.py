"""Counts tokens for Gemma, with a server of llama.cpp that has loaded a Gemma model.

    python gemma.py PIECES COUNTED http://127.0.0.1:8080

PIECES and COUNTED are those of `claude.py`; the numbers are put beside those that stand there.
"""

import json
import sys
import urllib.request

address = f"{sys.argv[3]}/tokenize"

with open(sys.argv[1], encoding="utf-8") as pieces, open(sys.argv[2], "w", encoding="utf-8") as counted:
    for line in pieces:
        piece = json.loads(line)
        question = json.dumps({"content": piece["text"]}).encode()
        request = urllib.request.Request(address, question, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            piece["counts"]["gemma"] = len(json.load(answer)["tokens"])
        counted.write(json.dumps(piece, ensure_ascii=False) + "\n")
