"""Odd texts with the rows and the vector that this side finds: fixtures.py TABLE OUT. The Rust side has to agree."""

import json
import pathlib
import random
import sys

import evaluate
import table

ODD = [
    "", " ", "\n\t\r\n", "\0", "a", "A", "é", "É", "ß", "ẞ", "İ", "ı", "ŉ", "ſ", "Ω", "中", "㐀", "鿿", "𠀀", "々", "〇",
    "ー", "한국어", "ひらがなカタカナ漢字かな交じり文", "العربية", "🙂", "👩‍👩‍👧‍👦", "🇨🇳🇩🇪", "e\u0301", "\u200b", "\ufeffBOM",
    "中\u200b文", "中 文", "中-文", "中a文", "中1文", "。，、；：？！“”", "……——", "（全角）ＡＢＣ１２３ｄｅｆ", "ＨｔｔｐＳｅｒｖｅｒ",
    "camelCase", "PascalCase", "snake_case", "SCREAMING_SNAKE_CASE", "kebab-case", "dot.separated.name", "path/to/file.rs",
    "C:\\Users\\name", "HTTPServer", "getHTTPResponseCode", "XMLHttpRequest", "iPhone", "macOS", "PostgreSQL", "LaTeX",
    "TiDB", "GitHub", "JavaScript", "OAuth2", "sha256", "x86_64", "v1.2.3-rc.4", "i18n", "k8s", "3D", "4k60", "0xDEADBEEF",
    "1234567890", "12345678901234567890123456789012345678901", "3.14159", "1,000,000", "2026-03-15T10:00:00Z", "10:30",
    "+49 (0)30 1234567", "50%", "€9.99", "#hash @name", "C++", "C#", "F#", ".NET", "a=b&c=d?e#f", "<b>bold</b>", "`code`",
    "https://example.com/a/b?c=d#e", "user@example.com", "don't", "can’t", "naïve café résumé", "Übergröße", "Łódź",
    "ČŘŽ", "smörgåsbord", "Æsir œuvre", "İstanbul", "Ÿ", "ĲSSELMEER", "a" * 24, "a" * 25, "a" * 40, "a" * 41, "A" * 40,
    "aB" * 20, "aB" * 21, "the" * 13, "1" * 40, "1" * 41, "z" * 1000, "中" * 500, "word " * 2000, "中文 english " * 500,
    "aBcDeFgH", "ABCdEFG", "abcDEF", "ABCDef", "Ab", "aB", "ABc", "aBC", "ÉCOLEÉté", "éÉéÉ", "mixedÉcole", "test1Test2",
    "1a2b3c", "a1中b2文", "数据库DB备份backup", "用pnpm管理依赖，不用npm。", "函数getUserName返回用户名", "make deploy-fly 部署",
    "第3版v2.0于2026年3月15日发布", "每周四 15:00 开组会", "Vim键位", "（括号）「引号」【方括号】", "簡體繁體漢字", "龘靐齉", "㍿㈱",
    "½ ² ³ ① Ⅳ", "ﬁ ﬂ ligature", "soft\u00adhyphen", "non\u00a0breaking", "line\u2028separator", "tab\tseparated\tvalues",
    "\u202eright to left", "zero\u200djoiner", "emoji🙂inside", "日本語とEnglishの混在", "ПриветWorld", "αβγabc", "abc×def÷ghi",
    '{"json": [1, 2, {"key": null}]}', "SELECT * FROM users WHERE id = 1;", "fn main() { println!(\"hi\"); }",
    "def f(x): return x**2", "git commit -m 'message' && git push", "- [ ] item\n- [x] done", "# Title\n\nText **bold**.",
    "ERROR 2026-01-01 00:00:00,123 module.py:42 failed", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5eg==", "AKIAEXAMPLE", "127.0.0.1:8080",
    "aaaa bbbb cccc", "I", "you", "THE END", "Mr. O'Neill", "rock 'n' roll", "state-of-the-art", "e.g. i.e. etc.",
]


def random_texts(count):
    """Texts put together by chance from signs of every kind."""
    generator = random.Random(5)
    signs = "abcdefgXYZ0189 _-./éÉßŁ×中文数据库用户的一是。，ＡｂＣ１あ한🙂\u0301\u200b\n"
    return ["".join(generator.choices(signs, k=generator.randint(1, 60))) for _ in range(count)]


def main(table_path, out):
    known = table.Table(table_path.read_bytes())
    texts = ODD + random_texts(60) + evaluate.texts("held_out.tsv")[::6]
    with out.open("w", encoding="utf-8") as file:
        for text in dict.fromkeys(texts):
            numbers = [round(float(value), 6) for value in known.embed([text])[0][:8]]
            line = {"text": text, "rows": known.row_numbers(text), "values": numbers}
            if len(line["rows"]) > 400:
                line["count"], line["rows"] = len(line["rows"]), line["rows"][:50]
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
