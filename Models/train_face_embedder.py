"""Embeddings of drawn faces."""

import reproducible

import numpy as np
import tensorflow as tf
from PIL import Image

import embedder
from alignment import ALIGNED_EYES, aligned
from arithmetic import normalized
from bundle import EXAMPLES, Bundle, described
from conversion import FrozenNetwork, convert
from drawing import FINENESS, TURNS, Pose, finished
from drawn_faces import draw_face, identity
from drawn_sets import OF_A_GROUP, PEOPLE, PORTRAITS_OF_A_PERSON, STRANGERS, write_faces
from litert import Runner
from photographs import CREDIT, HELD_OUT, TRAINING, piece
from pictures import prepared
from recognition import Recognition
from train_face_detector import THRESHOLD as SURE

SIDE = 64
VALUES = 128
IDENTITIES, PICTURES = 800, 10
HELD_OUT_IDENTITIES, HELD_OUT_PICTURES = 100, 8
EYES_OFF = 0.08  # of the distance between the eyes
STEPS = 2000
# Recognizes about 95 of 100 enrolled faces in group images other than those of the card (seeds 62, 72).
THRESHOLD = 0.70
TOLERANCE = 0.02
SAMPLES = 3
RECOGNITION_SETS, RECOGNITION_GROUPS = 24, 6
WRITTEN_GROUPS = 6
DETECTOR = EXAMPLES / "Bundles" / "face-detector.tiobundle" / "model.tflite"


class Embedder(FrozenNetwork):
    @tf.function(input_signature=[tf.TensorSpec([1, SIDE, SIDE, 3], tf.float32, "face")])
    def run(self, face):
        return {"embedding": self.applied(face)}


def seen_and_aligned(random, who, part):
    """Draws a face of random size and rotation, aligned by eyes with small errors."""
    side = int(random.integers(SIDE, SIDE * 4))
    large = side * FINENESS
    picture = piece(random, (large, large), part)
    place = np.array([0.5, 0.42]) + random.uniform(-0.06, 0.06, 2)
    pose = Pose(*(place * large), random.uniform(0.22, 0.28) * large, random.uniform(*TURNS))
    _, landmarks = draw_face(picture, pose, who, random)
    eyes = landmarks[:2] + random.normal(0, EYES_OFF * pose.size, (2, 2))
    small = picture.resize((side, side), Image.Resampling.BOX)
    return finished(aligned(small, eyes / FINENESS, SIDE), (SIDE, SIDE), random)


def faces(seed, identities, pictures, part):
    """Returns aligned images and their identities."""
    random = np.random.default_rng(seed)
    everybody = [identity(random) for _ in range(identities)]
    drawn = [seen_and_aligned(random, who, part) for who in everybody for _ in range(pictures)]
    return drawn, np.repeat(np.arange(identities), pictures)


def embedding(run, picture):
    return run(normalized(prepared(picture, SIDE, "RGB")))[0]


def trained_model():
    pictures, kinds = faces(reproducible.SEED, IDENTITIES, PICTURES, TRAINING)
    net = embedder.network((SIDE, SIDE, 3), (16, 32, 48, 64), VALUES)
    embedder.train(net, normalized(np.stack([np.asarray(p) for p in pictures])), kinds, STEPS)
    return convert(Embedder(net), ["face"], ["embedding"], half=True)


def measured(run):
    pictures, kinds = faces(reproducible.SEED + 1, HELD_OUT_IDENTITIES, HELD_OUT_PICTURES, HELD_OUT)
    same, others = embedder.pairs(np.stack([embedding(run, picture) for picture in pictures]), kinds)
    equal, error = embedder.equal_error(same, others)
    return {
        "equal": equal, "error": error, "pairs": len(same) + len(others),
        "accepted": float((others <= THRESHOLD).mean()), "refused": float((same > THRESHOLD).mean()),
    }  # fmt: skip


def description():
    return described(
        name="Drawn faces as vectors",
        id="face-embedder",
        details=f"Computes a {VALUES}-dimensional embedding of an aligned cartoon face",
        kind="image.embedding.faces",
        inputs=[
            {
                "name": "face", "type": "image", "shape": [SIDE, SIDE, 3], "format": "RGB",
                "normalize": {"standard": "[0,1]"},
            }
        ],
        outputs=[{"name": "embedding", "type": "array", "shape": [VALUES], "role": "embedding"}],
        task={"type": "embedding", "metric": "euclidean", "threshold": THRESHOLD},
    )  # fmt: skip


def recognized(run, threshold):
    """Recognizes faces from group images to names, with the detector's own landmarks."""
    way = Recognition(Runner(DETECTOR.read_bytes()), run, SURE, threshold)
    return way.measured(reproducible.SEED + 4, RECOGNITION_SETS, RECOGNITION_GROUPS)


def share(told):
    return f"{sum(told)} of {len(told)}, {np.mean(told):.1%}"


def card(facts, told):
    return f"""
## What it does

The input is a face of {SIDE}×{SIDE} pixels, aligned so that the eyes are at {ALIGNED_EYES[0]} and {ALIGNED_EYES[1]} of its
width and height; the output is a vector of {VALUES} values and length 1. Two images show the same person
if the Euclidean distance is at most {THRESHOLD}. The graph standardizes the image (mean 0,
deviation 1), so standardizing it before has no effect.

`face-detector` finds the eyes for the alignment; `faces.tiochain` combines both bundles.

## Data

Cartoon faces drawn by `drawn_faces.py`, which documents what defines an identity (skin, hair, eyes,
nose, mouth, glasses, beard …) and what varies between images: expression, head pose, brightness from 0.6
to 1.4, noise, occlusion of half of the faces by a tenth, and small alignment errors like those of a
detector. The backgrounds are crops of {CREDIT}
{IDENTITIES} identities with {PICTURES} images each are for training; {HELD_OUT_IDENTITIES} others with {HELD_OUT_PICTURES} each are held out.

## Training

Convolutions that halve the image size four times, and a dense layer: `train_face_embedder.py`, with
triplet loss over all triplets of a batch ({embedder.KINDS_OF_A_BATCH} people, {embedder.PICTURES_OF_A_KIND} images each, margin
{embedder.MARGIN} of the squared distance, {STEPS} steps, seed {reproducible.SEED}). Weights are stored as float16.

## Accuracy

Measured by LiteRT over all {facts['pairs']} pairs of held-out images of people not used for training:
equal error rate {facts['error']:.2%}, at the distance {facts['equal']:.3f}. At the bundle's threshold, {facts['accepted']:.2%} of pairs
of different people are accepted and {facts['refused']:.2%} of pairs of the same person are rejected; it was chosen
so that about 95 of 100 enrolled faces are recognized in group images of other people.

End to end, from images to names: {RECOGNITION_SETS} times {len(PEOPLE)} people are enrolled with {PORTRAITS_OF_A_PERSON} portraits each, and searched
in {RECOGNITION_GROUPS} rotated images of {OF_A_GROUP[0]} to {OF_A_GROUP[1]} people, including {len(STRANGERS)} unknown people. `face-detector` detects faces and eyes
and refines each detection; the face is aligned and compared with all portraits, and the nearest one
within the threshold determines the name (`recognition.py`). Undetected faces count as errors.

| faces of | correct |
|---|---|
| enrolled people | {share(told['known'])} |
| unknown people | {share(told['strangers'])} |

It was trained on these cartoons only and does not work on real faces.

## Reproducing

`Models/train-all`
"""


def write(model):
    run = Runner(model)
    facts = measured(run)
    told = recognized(run, THRESHOLD)
    bundle = Bundle(description(), model)
    pictures, kinds = faces(reproducible.SEED + 2, SAMPLES, 2, HELD_OUT)
    for place, (picture, kind) in enumerate(zip(pictures, kinds)):
        name = f"person-{kind + 1}-{place % 2 + 1}.png"
        answer = [round(float(value), 4) for value in embedding(run, picture)]
        bundle.add_sample(name, picture, {"embedding": answer})
    bundle.finish(
        tolerance=TOLERANCE,
        measured=f"equal error rate {facts['error']:.2%} on {HELD_OUT_IDENTITIES} unseen people;"
        f" in group images {np.mean(told['known']):.1%} of enrolled faces recognized,"
        f" {np.mean(told['strangers']):.1%} of unknown faces rejected",
        card=card(facts, told),
    )


def main():
    write(trained_model())
    write_faces(EXAMPLES / "Data" / "faces-over-photographs", WRITTEN_GROUPS, reproducible.SEED + 5)


if __name__ == "__main__":
    main()
