"""A center-based object detector: a heatmap of centers, with box offsets and landmarks at each center.

Each cell predicts the probability of a center and the distances to the box edges. The graph selects
the peaks and returns boxes, classes, scores and their count.
"""

from dataclasses import dataclass

import reproducible

import numpy as np
import tensorflow as tf

from arithmetic import normalized
from conversion import FrozenNetwork
from drawing import Thing
from pictures import letterboxed

STRIDE = 4  # pixels across a cell
MOST = 10
EPOCHS = 6
BATCH = 16
REACH = 0.25  # what the network gives as 1, in parts of the picture
FAINTEST = 0.1  # peaks below are none
NEIGHBORS = 5  # cells across which there is one peak

layers = tf.keras.layers


def convolution(values, channels, stride=1):
    values = layers.Conv2D(channels, 3, stride, padding="same", use_bias=False)(values)
    return layers.ReLU()(layers.BatchNormalization(momentum=0.9)(values))


def network(side, classes, points):
    """Downsamples to eight by eight cells and upsamples again, with skip connections."""
    picture = layers.Input((side, side, 3))
    fine = convolution(convolution(picture, 16, 2), 32, 2)
    middle = convolution(convolution(fine, 48, 2), 48)
    coarse = convolution(convolution(middle, 64, 2), 64)
    middle = convolution(layers.Concatenate()([middle, layers.UpSampling2D()(coarse)]), 48)
    fine = convolution(layers.Concatenate()([fine, layers.UpSampling2D()(middle)]), 48)
    rare = tf.keras.initializers.Constant(-3)
    centers = layers.Conv2D(classes, 1, activation="sigmoid", bias_initializer=rare)(fine)
    reaches = layers.Conv2D(4 + 2 * points, 1)(fine)
    return tf.keras.Model(picture, layers.Concatenate()([centers, reaches]))


def centers_of_cells(cells):
    """Returns (y, x) of each cell, relative to the image: [cells, cells, 2]."""
    middles = (np.arange(cells, dtype=np.float32) + 0.5) / cells
    return np.stack(np.meshgrid(middles, middles, indexing="ij"), 2)


def target(things, labels, points, cells):
    """Returns the training targets: centers, offsets, and the weight of each cell's offsets."""
    middles = centers_of_cells(cells)
    heat = np.zeros((cells, cells, len(labels)), np.float32)
    reaches = np.zeros((cells, cells, 4 + 2 * points), np.float32)
    weights = np.zeros((cells, cells, 1), np.float32)
    for thing in things:
        left, top, right, bottom = thing.box
        nearest = np.floor(np.array([top + bottom, left + right]) / 2 * cells)
        spread = max(min(bottom - top, right - left) / 8, 0.7 / cells)
        distance = ((middles - (nearest + 0.5) / cells) ** 2).sum(2)
        near = np.exp(-distance / (2 * spread**2))
        kind = labels.index(thing.label)
        heat[..., kind] = np.maximum(heat[..., kind], near)
        places = [top, left, bottom, right] + [place for x, y in thing.points for place in (y, x)]
        mine = (near > weights[..., 0]) & (near > 0.3)
        reaches[mine] = (np.float32(places) - np.tile(middles[mine], 2 + points)) / REACH
        weights[mine, 0] = near[mine]
    return np.concatenate([heat, reaches, weights], 2).astype(np.float16)


def loss_of(classes):
    """Focal loss of the centers plus the error of the offsets at objects."""

    def loss(wanted, found):
        wanted = tf.cast(wanted, tf.float32)
        heat, reaches, weights = tf.split(wanted, [classes, wanted.shape[-1] - classes - 1, 1], 3)
        seen = tf.clip_by_value(found[..., :classes], 1e-4, 1 - 1e-4)
        center = tf.cast(heat == 1, tf.float32)
        missed = center * (1 - seen) ** 2 * tf.math.log(seen)
        invented = (1 - center) * (1 - heat) ** 4 * seen**2 * tf.math.log(1 - seen)
        things = tf.reduce_sum(center) + 1
        off = tf.reduce_sum(weights * tf.abs(found[..., classes:] - reaches)) / tf.reduce_sum(weights + 1e-6)
        return off - tf.reduce_sum(missed + invented) / things

    return loss


def trained(side, scenes, labels, points=0, epochs=EPOCHS):
    """Trains a network with images and their annotations."""
    images = normalized(np.stack([letterboxed(picture, side, "RGB") for picture, _ in scenes]))
    targets = np.stack(
        [
            target([in_letterbox(t, picture.size) for t in things], labels, points, side // STRIDE)
            for picture, things in scenes
        ]
    )
    net = network(side, len(labels), points)
    rate = tf.keras.optimizers.schedules.CosineDecay(4e-3, epochs * len(scenes) // BATCH)
    net.compile(tf.keras.optimizers.Adam(rate), loss_of(len(labels)))
    net.fit(images, targets, batch_size=BATCH, epochs=epochs, verbose=2)
    return net


def in_letterbox(thing, size):
    """Converts an object's coordinates to those of the letterboxed image."""
    longer = max(size)
    scale = np.array(size) / longer
    shift = (1 - scale) / 2
    moved = [tuple(np.array(point) * scale + shift) for point in (thing.box[:2], thing.box[2:], *thing.points)]
    return type(thing)(thing.label, (*moved[0], *moved[1]), tuple(moved[2:]))


def out_of_letterbox(places, size):
    """Converts points (y, x, y, x …) in the square to image coordinates."""
    scale = np.tile((np.array(size) / max(size))[::-1], len(places[0]) // 2)
    return (places - (1 - scale) / 2) / scale


class Detector(FrozenNetwork):
    """The network with peak selection."""

    def __init__(self, net, classes, points):
        super().__init__(net)
        self.classes = classes
        self.points = points
        side = net.input_shape[1]
        self.cells = side // STRIDE
        self.run = tf.function(self.found, [tf.TensorSpec([1, side, side, 3], tf.float32, "image")])

    def found(self, image):
        """Returns the rows of the best peaks by descending score; weak peaks become zeros."""
        cells = tf.reshape(self.applied(image), [self.cells**2, self.classes + 4 + 2 * self.points])
        heat, reaches = cells[:, : self.classes], cells[:, self.classes :]
        scores, chosen = tf.math.top_k(self.peaks(tf.reduce_max(heat, 1)), MOST)
        middles = centers_of_cells(self.cells).reshape(-1, 2)
        places = tf.gather(np.tile(middles, [1, 2 + self.points]) + REACH * reaches, chosen)
        kinds = tf.cast(tf.argmax(tf.gather(heat, chosen), 1, tf.int32), tf.float32)
        seen = tf.cast(scores > FAINTEST, tf.float32)
        places *= seen[:, None]
        outputs = {
            "boxes": places[None, :, :4],
            "classes": (kinds * seen)[None],
            "scores": (scores * seen)[None],
            "count": tf.reduce_sum(seen, keepdims=True),
        }
        if self.points:
            outputs["keypoints"] = tf.reshape(places[:, 4:], [1, MOST, self.points, 2])
        return outputs

    def peaks(self, heat):
        """Keeps local maxima of the heatmap and zeros elsewhere."""
        grid = tf.reshape(heat, [1, self.cells, self.cells, 1])
        hottest = tf.nn.max_pool2d(grid, NEIGHBORS, 1, "SAME")
        return tf.reshape(tf.where(grid < hottest, tf.zeros_like(grid), grid), [-1])


@dataclass
class Detection(Thing):
    score: float = 0


def outputs_of(run, picture):
    side = run.inputs[0]["shape"][1]
    return run(normalized(letterboxed(picture, side, "RGB")))


def detections_in(run, picture, labels):
    """Returns the detections of a running detector in an image of any size, best first."""
    boxes, classes, scores, count, *points = outputs_of(run, picture)
    boxes = out_of_letterbox(boxes, picture.size)
    points = [tuple((x, y) for y, x in out_of_letterbox(p, picture.size)) for p in points[0]] if points else [()] * len(boxes)
    return [
        Detection(
            labels[int(classes[place])],
            (boxes[place][1], boxes[place][0], boxes[place][3], boxes[place][2]),
            points[place],
            float(scores[place]),
        )
        for place in range(int(count))
    ]
