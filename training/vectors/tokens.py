"""How a text becomes rows of the table. `crates/nidra-vectors` does the same; fixtures hold the two together.

A text is folded (lower case by a small table, wide forms, Latin letters with accents) and cut into runs:
- Chinese signs: each sign, and each two neighbours, when the table has them;
- Latin letters: the whole run when the table has it, or else its parts by capital letters, each cut into the
  longest pieces that the table has; pieces that continue a word begin with `##`;
- digits: like a part of letters.
Everything else separates. Runs of letters or digits that are longer than any word say nothing and are left out.
"""

LONGEST_RUN = 40
LONGEST_PIECE = 24

# Latin letters with marks, in the order of their code points from U+00C0 to U+017F; `*` marks what is no letter.
FOLDED = (
    "aaaaaaaceeeeiiiidnooooo*ouuuuytsaaaaaaaceeeeiiiidnooooo*ouuuuyty"
    "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkkllllllllll"
    "nnnnnnnnnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs"
)
UPPER_LATIN = {code for code in range(0xC0, 0xDF) if code != 0xD7}
UPPER_LATIN |= {code for code in range(0x100, 0x138) if code % 2 == 0}
UPPER_LATIN |= {code for code in range(0x139, 0x149) if code % 2 == 1}
UPPER_LATIN |= {code for code in range(0x14A, 0x178) if code % 2 == 0}
UPPER_LATIN |= {0x178, 0x179, 0x17B, 0x17D}

SEPARATOR, HAN, LOWER, UPPER, DIGIT = range(5)


def kind(sign):
    """The kind of a character and what it is folded to."""
    code = ord(sign)
    if 0xFF01 <= code <= 0xFF5E:
        code -= 0xFEE0
    if 0x61 <= code <= 0x7A:
        return LOWER, chr(code)
    if 0x41 <= code <= 0x5A:
        return UPPER, chr(code + 0x20)
    if 0x30 <= code <= 0x39:
        return DIGIT, chr(code)
    if 0x4E00 <= code <= 0x9FFF or 0x3400 <= code <= 0x4DBF:
        return HAN, chr(code)
    if 0xC0 <= code <= 0x17F and FOLDED[code - 0xC0] != "*":
        return (UPPER if code in UPPER_LATIN else LOWER), FOLDED[code - 0xC0]
    return SEPARATOR, " "


def runs(text):
    """The runs of a text: the class (HAN, LOWER for letters, DIGIT), the folded text and which of it was upper case."""
    current, folded, upper = SEPARATOR, [], []
    for sign in text:
        found, plain = kind(sign)
        group = LOWER if found == UPPER else found
        if group != current:
            if current != SEPARATOR:
                yield current, "".join(folded), upper
            current, folded, upper = group, [], []
        folded.append(plain)
        upper.append(found == UPPER)
    if current != SEPARATOR:
        yield current, "".join(folded), upper


def parts(word, upper):
    """A run of letters cut at capitals: before one that follows a small letter, and before the last of several."""
    start = 0
    for index in range(1, len(word)):
        after_small = upper[index] and not upper[index - 1]
        last_of_several = (
            upper[index] and upper[index - 1] and index + 1 < len(word) and not upper[index + 1]
        )
        if after_small or last_of_several:
            yield word[start:index]
            start = index
    yield word[start:]


def pieces(part, has):
    """The longest pieces of a part from left to right; a character that no piece begins with is left out."""
    start = 0
    while start < len(part):
        mark = "##" if start else ""
        end = min(len(part), start + LONGEST_PIECE)
        while end > start and not has(mark + part[start:end]):
            end -= 1
        if end > start:
            yield mark + part[start:end]
            start = end
        else:
            start += 1


def tokens(text, has):
    """The names of the rows that make up a text; `has(name)` tells whether the table has a row."""
    for group, run, upper in runs(text):
        if group == HAN:
            for index, sign in enumerate(run):
                if has(sign):
                    yield sign
                if has(run[index : index + 2]) and index + 1 < len(run):
                    yield run[index : index + 2]
        elif len(run) > LONGEST_RUN:
            continue
        elif len(run) <= LONGEST_PIECE and has(run):
            yield run
        else:
            for part in parts(run, upper):
                yield from pieces(part, has)
