"""Texts as TensorIO tokenizes them: WordPiece, as in BERT, except for Chinese characters."""

import unicodedata

PADDING, UNKNOWN, START, END = SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]


def words(text):
    """Splits text at white space and around punctuation, in lowercase and without accents."""
    kept = []
    for character in unicodedata.normalize("NFD", text.lower()):
        category = unicodedata.category(character)
        if category == "Mn":
            continue
        is_punctuation = category[0] == "P" or (category[0] == "S" and character.isascii())
        kept.append(f" {character} " if is_punctuation else character)
    return "".join(kept).split()


def pieces(word, vocabulary):
    """Divides a word into the longest pieces of a vocabulary; returns the unknown token if there are none."""
    found, start = [], 0
    while start < len(word):
        prefix = "##" if start else ""
        ends = range(len(word), start, -1)
        end = next((end for end in ends if prefix + word[start:end] in vocabulary), None)
        if end is None:
            return [UNKNOWN]
        found.append(prefix + word[start:end])
        start = end
    return found


def token_ids(text, vocabulary, length):
    """Returns the positions of the tokens in the vocabulary, truncated and padded to a length."""
    tokens = [piece for word in words(text) for piece in pieces(word, vocabulary)][: length - 2]
    tokens = [START, *tokens, END]
    ids = {token: index for index, token in enumerate(vocabulary)}
    return [ids[token] for token in tokens + [PADDING] * (length - len(tokens))]
