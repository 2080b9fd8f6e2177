"""The handwritten digits of scikit-learn: as examples to train with and to hold out, and as pictures."""

import numpy as np
from PIL import Image
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import reproducible

PAPER = 255
SAMPLE_SIDE = 128
LABELS = [str(digit) for digit in range(10)]


def split():
    """Levels to train with and held out, then the digits that they show."""
    data = load_digits()
    return train_test_split(
        data.data, data.target, test_size=0.2, stratify=data.target, random_state=reproducible.SEED
    )


def drawn(levels, side):
    """Dark ink on white paper, from 8×8 counts of ink between 0 and 16."""
    paper = np.uint8(np.round(PAPER - levels.reshape(8, 8) * (PAPER / 16)))
    return Image.fromarray(paper).resize((side, side), Image.Resampling.BICUBIC)
