"""Reference scores of answers: the formulas of SQuAD's evaluation, written for these tests."""

import re
import string
from collections import Counter

_COUNT = 150
_PIECES = [
    "the", "The", "a", "an", "AN", "Ada", "ada's", "1843", "in", "in-depth", "(the", "end)", "U.S.", "the.",
    "é", "É", "Straße", "a–b", "the–end", "“a”", "İstanbul", "\u00a0", "\t", "naïve", "ΑΣ", "一", "the一", "3½", "_a_", "a_b",
    "...", "!", "", "theory", "Bach", "1,000", "a\u0301", "²",
]


def _words(text):
    """Returns the words in lower case, without punctuation and articles."""
    text = "".join(each for each in text.lower() if each not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", text, flags=re.UNICODE).split()


def _overlap(found, reference):
    if not found or not reference:
        return float(found == reference)
    shared = sum((Counter(found) & Counter(reference)).values())
    if shared == 0:
        return 0.0
    precision, recall = shared / len(found), shared / len(reference)
    return 2 * precision * recall / (precision + recall)


def _question(answer, correct):
    references = [_words(each) for each in correct if _words(each)] or [[]]
    return {"answer": answer, "correct": correct, "exact": _words(answer) in references,
            "f1": max(_overlap(_words(answer), each) for each in references)}


def _text(rng, most):
    return " ".join(rng.choice(_PIECES, rng.integers(0, most + 1)).tolist())


def _cases(rng, most, references):
    cases = []
    for _ in range(_COUNT):
        correct = [_text(rng, most) for _ in range(rng.integers(0, references + 1))]
        answer = correct[0] if correct and rng.random() < 0.3 else _text(rng, most)
        if rng.random() < 0.3:
            answer = answer.upper()
        cases.append(_question(answer, correct))
    return cases


def short(rng):
    return _cases(rng, 2, 2)


def long(rng):
    return _cases(rng, 12, 4)
