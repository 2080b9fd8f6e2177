"""The handwritten digits of scikit-learn, split into training and held-out examples, as images."""

import numpy as np
from PIL import Image
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import reproducible

PAPER = 255
SAMPLE_SIDE = 128
LABELS = [str(digit) for digit in range(10)]


def split():
    """Returns training and held-out levels, then their digits."""
    data = load_digits()
    return train_test_split(
        data.data, data.target, test_size=0.2, stratify=data.target, random_state=reproducible.SEED
    )


def drawn(levels, side):
    """Draws dark ink on white paper, from 8×8 ink counts between 0 and 16."""
    paper = np.uint8(np.round(PAPER - levels.reshape(8, 8) * (PAPER / 16)))
    return Image.fromarray(paper).resize((side, side), Image.Resampling.BICUBIC)
