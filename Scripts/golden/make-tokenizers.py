#!/usr/bin/env python3
"""Writes Tests/Fixtures/Text: lines of mixed scripts, small tokenizers trained on them, and their tokens.

    python3 -m venv .venv && . .venv/bin/activate
    pip install tokenizers==0.23.3 sentencepiece==0.2.3 protobuf
    python3 Scripts/golden/make-tokenizers.py

A `.golden` file has a line for each line of `lines.txt`: the 64-bit FNV-1a hash of its tokens, written as `id:start-end`
with byte offsets and separated by spaces.

With `--lines FOLDER`, it writes 10,003 other lines and the tokens of the existing tokenizers to a folder instead
(`Scripts/check-tokenizers`).
"""

import argparse
import base64
import io
import json
import os
import pathlib
import random

import sentencepiece
from sentencepiece import sentencepiece_model_pb2
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Fixtures" / "Text"
# Scripts: first and last scalar, and weight.
SCRIPTS = [
    (0x20, 0x7E, 30), (0xA1, 0x17F, 5), (0x391, 0x3A1, 2), (0x3A3, 0x3C9, 3), (0x410, 0x44F, 5), (0x5D0, 0x5EA, 2),
    (0x621, 0x63A, 2), (0x64B, 0x652, 1), (0x905, 0x939, 2), (0x93E, 0x94D, 1), (0xE01, 0xE2E, 2), (0x1E80, 0x1EF9, 3),
    (0x2010, 0x2027, 2), (0x2030, 0x203E, 1), (0x2160, 0x216B, 1), (0x3041, 0x3096, 3), (0x30A1, 0x30FA, 2),
    (0x4E00, 0x4E3F, 4), (0xAC00, 0xAC3F, 3), (0xF900, 0xF907, 1), (0xFF01, 0xFF5E, 1), (0x1F600, 0x1F61F, 2),
    (0x300, 0x32F, 1), (0x1D400, 0x1D40F, 1), (0x20000, 0x20007, 1), (0x1, 0x8, 1), (0x7F, 0x8F, 1), (0x2000, 0x200F, 1)]
WORDS = """the of and to in is was for on that with as it his by at from he she they have been Which would their there
could movie not good I don't it's we're they'll I'd I've can't running unhappiness tokenization na\u00efve caf\u00e9
\u00c5ngstr\u00f6m r\u00e9sum\u00e9 HELLO World 2023 3.14 1,000 e-mail http://example.com/a?b=c&d [SEP] ## foo_bar C++
x86_64 Stra\u00dfe \u0130stanbul \u03a3\u0399\u03a3\u03a5\u03a6\u039f\u03a3""".split()
SPACES = ["", "  ", "\t", ", ", ". ", "!", "\u00a0", "   ", "\u3000", "\r"]
COUNT = 500


def text_lines(seed=7, count=COUNT):
    generator = random.Random(seed)
    weights = [weight for _, _, weight in SCRIPTS]
    for _ in range(count):
        text = ""
        for _ in range(generator.randint(0, 12)):
            if generator.random() < 0.6:
                text += generator.choice(WORDS)
            else:
                first, last, _ = generator.choices(SCRIPTS, weights)[0]
                for _ in range(generator.randint(1, 8)):
                    text += chr(generator.randint(first, last))
            text += " " if generator.random() < 0.8 else generator.choice(SPACES)
        yield text
    # Long words, whose merges need the priority queue.
    for length in (101, 300, 2000):
        yield "".join(generator.choice(WORDS) for _ in range(length // 5)).replace(" ", "")


def fnv(text):
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def write_golden(name, lines, tokens, folder=FOLDER):
    hashes = [f"{fnv(' '.join(f'{number}:{start}-{end}' for number, start, end in tokens(line))):016x}" for line in lines]
    (folder / f"{name}.golden").write_text("\n".join(hashes) + "\n")


def tokens_of(tokenizer, special=False):
    def tokens(line):
        offsets = [0]
        for character in line:
            offsets.append(offsets[-1] + len(character.encode()))
        encoding = tokenizer.encode(line, add_special_tokens=special)
        return [(number, offsets[start], offsets[end]) for number, (start, end) in zip(encoding.ids, encoding.offsets)]
    return tokens


def make_wordpiece(lines):
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    for name, lowercase in (("wordpiece", True), ("wordpiece-cased", False)):
        tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        tokenizer.train_from_iterator(
            lines, trainers.WordPieceTrainer(vocab_size=1200, special_tokens=special, show_progress=False))
        vocabulary = tokenizer.get_vocab()
        (FOLDER / f"{name}.txt").write_text("".join(f"{word}\n" for word in sorted(vocabulary, key=vocabulary.get)))
        plain = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
        plain.normalizer, plain.pre_tokenizer = tokenizer.normalizer, tokenizer.pre_tokenizer
        write_golden(name, lines, tokens_of(plain))
        if lowercase:
            tokenizer.post_processor = processors.TemplateProcessing(
                single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
            tokenizer.save(str(FOLDER / f"{name}.json"), pretty=False)
            write_golden(f"{name}.json", lines, tokens_of(tokenizer))


def make_byte_level(lines):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokenizer.train_from_iterator(lines, trainers.BpeTrainer(
        vocab_size=900, special_tokens=special, initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False))
    tokenizer.model.save(str(FOLDER), "byte-level")
    for name, prefix in (("byte-level", False), ("byte-level-prefix", True)):
        plain = Tokenizer(tokenizer.model)
        plain.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix)
        write_golden(name, lines, tokens_of(plain))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=False)
    tokenizer.save(str(FOLDER / "byte-level.json"), pretty=False)
    write_golden("byte-level.json", lines, tokens_of(tokenizer))


def make_sentencepiece(lines):
    settings = {
        "unigram": dict(model_type="unigram", vocab_size=1200, user_defined_symbols=["[SEP]", "##"]),
        "unigram-bytes": dict(
            model_type="unigram", vocab_size=1300, normalization_rule_name="identity", byte_fallback=True,
            treat_whitespace_as_suffix=True, pad_id=3, character_coverage=0.98),
        "bpe": dict(
            model_type="bpe", vocab_size=1300, normalization_rule_name="identity", byte_fallback=True,
            remove_extra_whitespaces=False, user_defined_symbols=["[SEP]"], character_coverage=0.98),
        "characters": dict(
            model_type="char", vocab_size=500, normalization_rule_name="identity", add_dummy_prefix=False,
            character_coverage=0.98)}
    for name, options in settings.items():
        memory = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(lines), model_writer=memory, minloglevel=2, hard_vocab_limit=False,
            num_threads=1, max_sentence_length=20000, **options)
        (FOLDER / f"{name}.model").write_bytes(memory.getvalue())
        processor = sentencepiece.SentencePieceProcessor(model_proto=memory.getvalue())
        write_golden(name, lines, lambda line, processor=processor: [
            (piece.id, piece.begin, piece.end) for piece in processor.encode(line, return_type="proto").pieces])


def save(tokenizer, name, lines):
    """Writes a tokenizer, its tokens, and the texts that they are decoded to.

    The normalization rules are those of unigram.model, which the file names.
    """
    description = json.loads(tokenizer.to_str())
    normalizer = description["normalizer"] or {}
    for part in [normalizer, *normalizer.get("normalizers", [])]:
        if part.get("precompiled_charsmap"):
            part["precompiled_charsmap"] = "unigram.model"
    (FOLDER / f"{name}.json").write_text(json.dumps(description, ensure_ascii=False, separators=(",", ":")))
    write_golden(f"{name}.json", lines, tokens_of(tokenizer))
    texts = [tokenizer.decode(tokenizer.encode(line, add_special_tokens=False).ids) for line in lines]
    (FOLDER / f"{name}.json.texts").write_text("".join(f"{fnv(text):016x}\n" for text in texts))


def unigram(name):
    """Returns the model and the normalization rules of a SentencePiece model."""
    model = sentencepiece_model_pb2.ModelProto()
    model.ParseFromString((FOLDER / f"{name}.model").read_bytes())
    pieces = [(piece.piece, piece.score) for piece in model.pieces]
    unknown = [piece.type for piece in model.pieces].index(2)
    return models.Unigram(pieces, unknown, model.trainer_spec.byte_fallback), model.normalizer_spec.precompiled_charsmap


def make_composed(lines):
    model, rules = unigram("unigram")
    # T5
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.Precompiled(rules)
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="first", split=False)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 2)])
    tokenizer.add_special_tokens(["<s>", "</s>"])
    save(tokenizer, "unigram-t5", lines)
    # XLM-R
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Precompiled(rules), normalizers.Replace(Regex(" {2,}"), " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.add_special_tokens([AddedToken("[SEP]", lstrip=True)])
    save(tokenizer, "unigram-xlm-roberta", lines)
    # ALBERT
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Replace("``", '"'), normalizers.Replace("''", '"'), normalizers.NFKD(),
         normalizers.StripAccents(), normalizers.Lowercase(), normalizers.Precompiled(rules)])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    save(tokenizer, "unigram-albert", lines)
    # byte fallback
    tokenizer = Tokenizer(unigram("unigram-bytes")[0])
    tokenizer.normalizer = normalizers.Sequence([normalizers.Strip(), normalizers.NFC()])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace()])
    save(tokenizer, "unigram-fallback", lines)
    # LLaMA
    bytes_ = [f"<0x{byte:02X}>" for byte in range(256)]
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Prepend("\u2581"), normalizers.Replace(" ", "\u2581")])
    tokenizer.train_from_iterator(lines[:200], trainers.BpeTrainer(
        vocab_size=800, special_tokens=["<unk>", *bytes_], limit_alphabet=120, show_progress=False))
    model = json.loads(tokenizer.to_str())["model"]
    plain = Tokenizer(models.BPE(
        model["vocab"], [tuple(merge) for merge in model["merges"]], unk_token="<unk>", fuse_unk=True,
        byte_fallback=True))
    plain.normalizer = tokenizer.normalizer
    plain.decoder = decoders.Sequence(
        [decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    save(plain, "pairs-llama", lines)
    # tokens within words, as of LLaMA, without byte fallback
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True))
    tokenizer.normalizer = plain.normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never")
    tokenizer.train_from_iterator(lines, trainers.BpeTrainer(
        vocab_size=700, special_tokens=["<unk>"], limit_alphabet=200, show_progress=False))
    tokenizer.pre_tokenizer = None
    tokenizer.decoder = plain.decoder
    save(tokenizer, "pairs-words", lines)
    # words
    tokenizer = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Whitespace(), pre_tokenizers.Punctuation(), pre_tokenizers.Digits(individual_digits=True)])
    tokenizer.train_from_iterator(
        lines, trainers.WordLevelTrainer(vocab_size=400, special_tokens=["[UNK]"], show_progress=False))
    save(tokenizer, "words", lines)
    # WordPiece with other steps
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.BertNormalizer(), normalizers.NFC()])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.BertPreTokenizer(), pre_tokenizers.Digits()])
    tokenizer.train_from_iterator(lines, trainers.WordPieceTrainer(
        vocab_size=1000, special_tokens=["[UNK]"], show_progress=False))
    plain = Tokenizer(models.WordPiece(tokenizer.get_vocab(), unk_token="[UNK]"))
    plain.normalizer, plain.pre_tokenizer = tokenizer.normalizer, tokenizer.pre_tokenizer
    plain.decoder = decoders.WordPiece()
    save(plain, "wordpiece-steps", lines)


def make_tiny():
    """Writes models of a few hundred bytes, for tests with modified files."""
    lines = ["a b ab abc abcab", "ab \u00e9 \uff21 b", "abc cab ba"] * 20
    rules = FOLDER / "rules.tsv"
    rules.write_text("FF21\t41\n65 301\tE9\n2028\t20\n200B\t\n")
    settings = {
        "tiny-unigram": dict(model_type="unigram", vocab_size=20, normalization_rule_tsv=str(rules)),
        "tiny-bpe": dict(model_type="bpe", vocab_size=20, normalization_rule_name="identity",
                         user_defined_symbols=["cab"])}
    for name, options in settings.items():
        memory = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(lines), model_writer=memory, minloglevel=2, hard_vocab_limit=False,
            num_threads=1, **options)
        (FOLDER / f"{name}.model").write_bytes(memory.getvalue())
        processor = sentencepiece.SentencePieceProcessor(model_proto=memory.getvalue())
        texts = lines[:3] + ["e\u0301\uff21\u2028\u200b x", " \u200b ", ""]
        print(name, [processor.encode(text) for text in texts])
    rules.unlink()


def write_references(folder):
    """Writes other lines, and the tokens of all tokenizers of the fixtures."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = list(text_lines(seed=99, count=10_000))
    (folder / "lines.txt").write_bytes("\n".join(lines).encode())
    rules = base64.b64encode(unigram("unigram")[1]).decode()
    for path in FOLDER.glob("*.json.golden"):
        text = (FOLDER / path.stem).read_text().replace("unigram.model", rules)
        write_golden(path.stem, lines, tokens_of(Tokenizer.from_str(text)), folder)
    for name, lowercase in (("wordpiece", True), ("wordpiece-cased", False)):
        words = (FOLDER / f"{name}.txt").read_text().splitlines()
        tokenizer = Tokenizer(models.WordPiece({word: number for number, word in enumerate(words)}, unk_token="[UNK]"))
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        write_golden(name, lines, tokens_of(tokenizer), folder)
    files = [str(FOLDER / f"byte-level-{part}") for part in ("vocab.json", "merges.txt")]
    for name, prefix in (("byte-level", False), ("byte-level-prefix", True)):
        tokenizer = Tokenizer(models.BPE.from_file(*files))
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix)
        write_golden(name, lines, tokens_of(tokenizer), folder)
    for name in ("unigram", "unigram-bytes", "bpe", "characters"):
        processor = sentencepiece.SentencePieceProcessor(model_proto=(FOLDER / f"{name}.model").read_bytes())
        write_golden(name, lines, lambda line, processor=processor: [
            (piece.id, piece.begin, piece.end) for piece in processor.encode(line, return_type="proto").pieces], folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=pathlib.Path, metavar="FOLDER")
    if folder := parser.parse_args().lines:
        return write_references(folder)
    os.makedirs(FOLDER, exist_ok=True)
    lines = list(text_lines())
    (FOLDER / "lines.txt").write_bytes("\n".join(lines).encode())
    make_wordpiece(lines)
    make_byte_level(lines)
    make_sentencepiece(lines)
    make_composed(lines)
    make_tiny()


if __name__ == "__main__":
    main()
