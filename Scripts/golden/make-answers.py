#!/usr/bin/env python3
"""Writes Tests/Fixtures/Text/answers.json: answers to questions in long texts, with random scores.

    python3 -m venv .venv && . .venv/bin/activate
    pip install tokenizers==0.23.3 numpy==2.4.6
    python3 Scripts/golden/make-answers.py

The windows are those of `tokenizers`. The scores of answers are computed as the question-answering pipeline of
`transformers` does: the softmax of the starts and the ends over the tokens of the text and the first token, the product of
both, and the best sections of all windows. Sections that overlap a better one are left out.
"""

import json
import pathlib

import numpy
from tokenizers import Tokenizer

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Fixtures" / "Text"
LENGTH, OVERLAP, MAX_TOKENS, COUNT = 48, 12, 6, 3


def probabilities(scores, is_candidate):
    scores = numpy.where(is_candidate, scores, -10000.0)
    exponentials = numpy.exp(scores - scores.max())
    return exponentials / exponentials.sum()


def spans(window, starts, ends):
    is_text = numpy.array([index == 1 for index in window.sequence_ids])
    is_candidate = is_text.copy()
    is_candidate[0] = True
    first = numpy.where(is_text, probabilities(starts, is_candidate), 0)
    last = numpy.where(is_text, probabilities(ends, is_candidate), 0)
    products = numpy.tril(numpy.triu(numpy.outer(first, last)), MAX_TOKENS - 1)
    for place in numpy.argsort(-products, axis=None, kind="stable")[:100]:
        start, end = numpy.unravel_index(place, products.shape)
        if products[start, end] > 0:
            yield products[start, end], window.offsets[start][0], window.offsets[end][1]


def main():
    generator = numpy.random.default_rng(5)
    tokenizer = Tokenizer.from_file(str(FOLDER / "wordpiece.json"))
    tokenizer.enable_truncation(LENGTH, stride=OVERLAP, strategy="only_second")
    tokenizer.enable_padding(length=LENGTH)
    lines = (FOLDER / "lines.txt").read_bytes().decode().split("\n")
    lines = [line for line in lines if 20 < len(line) < 80]
    cases = []
    for _ in range(12):
        question = generator.choice(lines)[:20]
        context = " ".join(generator.choice(lines, generator.integers(1, 6)))
        encoding = tokenizer.encode(question, context)
        windows, found = [], []
        for window in [encoding, *encoding.overflowing]:
            scores = generator.integers(-30_000, 60_000, (2, LENGTH))
            windows.append({"ids": window.ids, "starts": scores[0].tolist(), "ends": scores[1].tolist()})
            found += spans(window, scores[0] / 10_000, scores[1] / 10_000)
        answers = []
        for score, start, end in sorted(found, key=lambda span: -span[0]):
            if len(answers) < COUNT and all(end <= other[1] or start >= other[2] for other in answers):
                answers.append((score, start, end))
        cases.append({
            "question": question, "context": context, "windows": windows,
            "answers": [{
                "start": len(context[:start].encode()), "end": len(context[:end].encode()), "score": score}
                for score, start, end in answers]})
    (FOLDER / "answers.json").write_text(json.dumps(cases, ensure_ascii=False, separators=(",", ":")))


if __name__ == "__main__":
    main()
