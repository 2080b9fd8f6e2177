"""Trains the digits with Keras, from a folder of images per label: a typical user's script.

The network, its rate and its optimizer are those of `Examples/Bundles/digits-trainable.tiobundle`.
Usage: keras_train.py FOLDER EPOCHS BATCH
"""

import os
import sys
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import keras
import numpy as np
from keras import layers
from PIL import Image

RATE = 0.01

folder = Path(sys.argv[1])
epochs, batch = (int(word) for word in sys.argv[2:4])

paths = sorted(folder.glob("*/*.png"))
images = np.stack([np.asarray(Image.open(path).convert("L")) for path in paths])[..., None]
labels = np.array([int(path.parent.name) for path in paths])

keras.utils.set_random_seed(1)
network = keras.Sequential(
    [
        layers.Input((8, 8, 1)),
        layers.Rescaling(-1 / 255, 1),
        layers.Conv2D(8, 3, padding="same", activation="relu"),
        layers.MaxPooling2D(padding="same"),
        layers.Conv2D(16, 3, padding="same", activation="relu"),
        layers.Flatten(),
        layers.Dense(10),
    ]
)
loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
network.compile(keras.optimizers.Adam(RATE), loss)
history = network.fit(images, labels, batch_size=batch, epochs=epochs, verbose=0)
print(f"{len(paths)} pictures, {epochs} epochs, loss {history.history['loss'][-1]:.4f}")
