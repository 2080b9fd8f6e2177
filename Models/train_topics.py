"""Messages to a shop: a text in, six labeled scores out."""

import csv

import reproducible

import numpy as np
import tensorflow as tf

from bundle import EXAMPLES, Bundle, described
from conversion import FrozenNetwork, convert
from litert import Runner
from texts import END, PADDING, SPECIAL, START, UNKNOWN, token_ids, words
from written_messages import (
    DEVELOPMENT, HELD_OUT, LABELS, TEMPLATES, messages, vocabulary_texts, written,
)  # fmt: skip

LENGTH = 32
# Pieces that continue a word, for inflected forms of known words.
SUFFIXES = ["##s", "##es", "##d", "##ed", "##ing", "##er", "##ly", "##n"]
TRAINED = 2500
EPOCHS = 6
# The part of the tokens that are replaced by the unknown one in training.
UNKNOWN_RATE = 0.15
# The part of a target that is distributed over all topics, against overconfident scores.
SMOOTHING = 0.1
WIDTH, FILTERS = 16, 48
TOLERANCE = 0.05


def vocabulary():
    """Returns the tokens, in the order of their ids."""
    known = {word for text in vocabulary_texts() for word in words(text)}
    return [*SPECIAL, *SUFFIXES, *sorted(known)]


def encoded(texts, tokens):
    index = {token: position for position, token in enumerate(tokens)}
    return np.int32([token_ids(text, index, LENGTH) for text in texts])


def training_set(tokens):
    """Returns the ids of generated messages, some tokens replaced by the unknown one, and their topics."""
    random = np.random.default_rng(reproducible.SEED)
    texts = [text for label in LABELS for text in messages(random, label, TRAINED)]
    ids = encoded(texts, tokens)
    special = np.isin(ids, [tokens.index(token) for token in (PADDING, START, END)])
    replaced = (random.random(ids.shape) < UNKNOWN_RATE) & ~special
    ids[replaced] = tokens.index(UNKNOWN)
    return ids, np.repeat(np.arange(len(LABELS)), TRAINED)


def trained(ids, topics, vocabulary_size):
    layers = tf.keras.layers
    message = layers.Input((LENGTH,), dtype="int32")
    vectors = layers.Embedding(vocabulary_size, WIDTH)(message)
    vectors = layers.SpatialDropout1D(0.2)(vectors)
    phrases = layers.Conv1D(FILTERS, 2, padding="same", activation="relu")(vectors)
    strongest = layers.Dropout(0.5)(layers.GlobalMaxPooling1D()(phrases))
    scores = layers.Dense(len(LABELS), activation="softmax")(strongest)
    network = tf.keras.Model(message, scores)
    rate = tf.keras.optimizers.schedules.CosineDecay(3e-3, EPOCHS * len(ids) // 64)
    loss = tf.keras.losses.CategoricalCrossentropy(label_smoothing=SMOOTHING)
    network.compile(tf.keras.optimizers.Adam(rate), loss)
    network.fit(ids, np.eye(len(LABELS), dtype=np.float32)[topics], batch_size=64, epochs=EPOCHS, verbose=0)
    return network


class Classifier(FrozenNetwork):
    @tf.function(input_signature=[tf.TensorSpec([1, LENGTH], tf.int32, "message")])
    def run(self, message):
        return {"topic": self.applied(message)}


def scores_of(run, tokens, text):
    return run(encoded([text], tokens))[0]


def confusion(run, tokens, texts):
    """Returns the number of messages of each topic by the topic with the highest score."""
    counts = np.zeros((len(LABELS), len(LABELS)), int)
    for text, label in written(texts):
        counts[LABELS.index(label), np.argmax(scores_of(run, tokens, text))] += 1
    return counts


def samples(run, tokens):
    """Returns the first held-out message of each topic that the model recognizes, and its scores, by topic."""
    chosen = {}
    for text, label in written(HELD_OUT):
        scores = scores_of(run, tokens, text)
        if np.argmax(scores) == LABELS.index(label):
            chosen.setdefault(label, (text, scores))
    return chosen


def save_held_out():
    """Writes the held-out messages as a table for `tensorio evaluate`."""
    with (EXAMPLES / "Data" / "topics-held-out.csv").open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["message", "label"])
        table.writerows(written(HELD_OUT))


def unknown_rate(tokens):
    """Returns the part of the tokens of the held-out messages that are not in the vocabulary."""
    ids = encoded([text for text, _ in written(HELD_OUT)], tokens)
    special = [tokens.index(token) for token in (PADDING, START, END)]
    return np.sum(ids == tokens.index(UNKNOWN)) / np.sum(~np.isin(ids, special))


def description():
    tokenizer = {"type": "wordpiece", "file": "vocab.txt"}
    return described(
        name="Topics of messages",
        id="topics",
        details=f"Recognizes the topic of a message to a shop: {', '.join(LABELS)}",
        kind="text.classification.topics",
        inputs=[{"name": "message", "type": "text", "shape": [1, LENGTH], "tokenizer": tokenizer}],
        outputs=[{"name": "topic", "type": "array", "shape": [1, len(LABELS)], "labels": "labels.txt"}],
        task={"type": "classification"},
    )


def card(tokens, chosen, counts):
    count = sum(len(text.strip().splitlines()) for text in TEMPLATES.values())
    header = f"| | {' | '.join(LABELS)} |\n" + "|---" * (len(LABELS) + 1) + "|"
    rows = "\n".join(f"| {label} | " + " | ".join(map(str, row)) + " |" for label, row in zip(LABELS, counts))
    return f"""
## What it does

The input is an English message to a shop, such as "Where is my parcel?". The output has a score for each of
{len(LABELS)} topics: {', '.join(LABELS)}. `other` is everything that is none of the other topics, such as greetings,
thanks and questions about opening hours.

TensorIO divides the message into tokens as BERT does, with the {len(tokens)} tokens of `assets/vocab.txt`: words of
the training messages in lowercase, punctuation and {len(SUFFIXES)} suffixes. At most {LENGTH - 2} tokens count.

## Data

Generated by `written_messages.py` from {count} templates and lists of words, which
were written for this model. No data of customers or from other sources.

## Training

An embedding of {WIDTH} numbers per token, a convolution over two tokens, the maximum of each of its {FILTERS} filters
over the message, and a dense layer with softmax: `train_topics.py`. {TRAINED} generated messages per
topic, of whose tokens {UNKNOWN_RATE:.0%} are replaced by the unknown token, {EPOCHS} epochs, seed {reproducible.SEED}.

## Accuracy

Measured by LiteRT on {counts.sum()} messages that were written one by one, not generated, and not used to choose templates
or settings. {unknown_rate(tokens):.0%} of their tokens are not in the vocabulary. Rows are the topics, columns the labels with the
highest score:

{header}
{rows}

{np.trace(counts)} of {counts.sum()} are correct. Of {chosen.sum()} messages with which templates and settings were chosen,
{np.trace(chosen)} are. All are in `written_messages.py`, the held-out ones also in `Examples/Data/topics-held-out.csv`. They have the same author as the templates; messages of other
people are probably recognized less often. The samples are the first held-out message of each topic that the model
recognizes.

## Limitations

English only, short messages with one topic only. The vocabulary is small: a message that consists of unknown words
has an arbitrary topic. The model recognizes phrases and does not understand negation or irony. Scores are not
calibrated.

## Reproducing

`Models/train-all`
"""


def main():
    tokens = vocabulary()
    network = trained(*training_set(tokens), len(tokens))
    model = convert(Classifier(network), ["message"], ["topic"])
    run = Runner(model)
    save_held_out()
    chosen, counts = confusion(run, tokens, DEVELOPMENT), confusion(run, tokens, HELD_OUT)

    bundle = Bundle(description(), model)
    bundle.add_labels(LABELS)
    bundle.add_asset("vocab.txt", tokens)
    for label, (text, scores) in samples(run, tokens).items():
        rounded = [round(float(score), 4) for score in scores]
        bundle.add_sample(f"{label}.json", {"message": text}, {"topic": rounded})
    bundle.finish(
        TOLERANCE,
        f"{np.trace(counts) / counts.sum():.0%} of {counts.sum()} held-out messages, which were not generated",
        card(tokens, chosen, counts),
    )


if __name__ == "__main__":
    main()
