"""Recognition from image to names: detect faces, refine, align, embed, compare with enrolled ones."""

from dataclasses import dataclass, replace

import numpy as np

import drawn_sets
from alignment import aligned, square_of
from arithmetic import normalized
from detection_measures import shared
from detector import detections_in
from drawn_faces import LABEL, group, portrait
from drawn_sets import GROUP_SIZE, PORTRAIT_SIDE, PORTRAITS_OF_A_PERSON, people
from embedder import nearest_kind
from photographs import HELD_OUT

NEAR = 2.5  # the side of the square in which a face is looked at again, in lengths of its box
NEAR_PIXELS = 2  # how large that picture is at most, in sides of the detector's own
SAME = 0.3  # how much of their union both looks at a face share, at least
FOUND = 0.5  # how much of their union a detection and a face share, at least


def moved(detection, corner, side):
    """Converts a detection in a crop to image coordinates."""
    first, last, *points = [
        tuple(np.array(place) * side + corner)
        for place in (detection.box[:2], detection.box[2:], *detection.points)
    ]  # fmt: skip
    return replace(detection, box=first + last, points=tuple(points))


@dataclass
class Recognition:
    detect: object
    embed: object
    sure: float
    nearest: float

    def faces(self, picture):
        """Returns the detections of an image with their embeddings."""
        side = self.embed.inputs[0]["shape"][1]
        found = [self.refined(picture, d) for d in self.found(picture)]
        return [(d, self.vector(aligned(picture, np.array(d.points[:2]) * picture.size, side))) for d in found]

    def found(self, picture):
        return [d for d in detections_in(self.detect, picture, [LABEL]) if d.score >= self.sure]

    def refined(self, picture, first):
        """Refines a detection with a second pass on its crop."""
        size = np.array(picture.size)
        left, top, right, bottom = np.array(first.box) * np.tile(size, 2)
        side = max(right - left, bottom - top) * NEAR
        corner = (np.array([left + right, top + bottom]) - side) / 2
        pixels = max(1, min(int(np.ceil(side)), NEAR_PIXELS * self.detect.inputs[0]["shape"][1]))
        near = [moved(d, corner / size, side / size) for d in self.found(square_of(picture, corner, side, pixels))]
        best = max(near, key=lambda d: shared(d.box, first.box), default=first)
        return best if shared(best.box, first.box) >= SAME else first

    def vector(self, face):
        return self.embed(normalized(np.asarray(face)))[0]

    def measured(self, seed, sets, groups):
        """Returns which faces of enrolled and unknown people are recognized correctly."""
        random = np.random.default_rng(seed)
        told = {"known": [], "strangers": []}
        for _ in range(sets):
            known, strangers = people(random)
            names, gallery = self.enrolled(known, random)
            for _ in range(groups):
                everybody = drawn_sets.some(random, known | strangers)
                picture, faces = group(random, everybody, GROUP_SIZE, HELD_OUT)
                for face, name in self.named(picture, faces, names, gallery):
                    kind = "known" if face.label in known else "strangers"
                    told[kind].append(name == (face.label if face.label in known else None))
        return told

    def enrolled(self, known, random):
        """Returns names and embeddings of all portraits with a detected face."""
        pairs = []
        for name, who in known.items():
            for _ in range(PORTRAITS_OF_A_PERSON):
                picture, _ = portrait(random, who, PORTRAIT_SIDE, HELD_OUT)
                pairs += [(name, vector) for _, vector in self.faces(picture)[:1]]
        return [name for name, _ in pairs], np.stack([vector for _, vector in pairs])

    def named(self, picture, faces, names, gallery):
        """Returns the name assigned to each ground-truth face: None for unknown, "" if not detected."""
        found = self.faces(picture)
        for face in faces:
            share, place = max(((shared(d.box, face.box), n) for n, (d, _) in enumerate(found)), default=(0, 0))
            if share < FOUND:
                yield face, ""
                continue
            name, distance = nearest_kind(found[place][1], gallery, names)
            yield face, name if distance <= self.nearest else None
