"""Reference metrics of labeled sections of sentences: those of seqeval, written for these tests."""

_COUNT = 40
_LABELS = ["PER", "LOC", "ORG", "MISC"]


def _sections(tags):
    """Returns (label, first word, last word) of each section."""
    found, start, last = set(), None, "O"
    for index, tag in enumerate([*tags, "O"]):
        label, before = tag[2:], last[2:]
        if start is not None and (tag[0] in "OB" or label != before):
            found.add((before, start, index - 1))
            start = None
        if tag != "O" and start is None:
            start = index
        last = tag
    return found


def _tags(rng, count):
    tags = []
    for _ in range(count):
        prefix = rng.choice(["O", "B", "I", "I"])
        tags.append("O" if prefix == "O" else f"{prefix}-{rng.choice(_LABELS)}")
    return tags


def _changed(rng, tags):
    return [tag if rng.random() < 0.8 else _tags(rng, 1)[0] for tag in tags]


def _fraction(part, total):
    return part / total if total else 0.0


def _f1(correct, predicted, actual):
    return _fraction(2 * correct, predicted + actual)


def _case(rng):
    sentences = []
    for _ in range(rng.integers(1, 6)):
        actual = _tags(rng, int(rng.integers(1, 15)))
        sentences.append((actual, _changed(rng, actual)))
    truth = {(number, *each) for number, (tags, _) in enumerate(sentences) for each in _sections(tags)}
    found = {(number, *each) for number, (_, tags) in enumerate(sentences) for each in _sections(tags)}
    labels = sorted({each[1] for each in truth | found})
    by_label = [
        _f1(*(sum(each[1] == label for each in sections) for sections in (truth & found, found, truth)))
        for label in labels
    ]
    right = len(truth & found)
    return {
        "sentences": [{"actual": actual, "predicted": predicted} for actual, predicted in sentences],
        "metrics": {"precision": _fraction(right, len(found)), "recall": _fraction(right, len(truth)),
                    "f1": _f1(right, len(found), len(truth)),
                    "macro_f1": sum(by_label) / len(by_label)} if labels else {},
    }


def ordinary(rng):
    return [_case(rng) for _ in range(_COUNT)]
