"""BERT's tokenizer of the package tokenizers: `tokenize_text.py VOCABULARY TEXT` measures the encoding of a file."""

from pathlib import Path

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from measuring import arguments, measure


def main():
    given = arguments("vocabulary", "text", description=__doc__)
    words = Path(given.vocabulary).read_text(encoding="utf-8").splitlines()
    tokenizer = Tokenizer(models.WordPiece({word: number for number, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    text = Path(given.text).read_text(encoding="utf-8")
    measure("tokenize_text.py", given.text, given, {"encode": lambda: tokenizer.encode(text, add_special_tokens=False)})


if __name__ == "__main__":
    main()
