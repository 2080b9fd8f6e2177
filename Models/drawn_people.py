"""Drawn people, one per image, over photographs, with the positions of their joints.

| parameter | variation |
|---|---|
| image | a crop of a photograph: portrait, square or landscape |
| position | anywhere within the image |
| height | 0.55 to 0.95 of the image's shorter side, from the head to the lower foot |
| rotation | -25° to 25° |
| arms | from the hip to above the head, elbows bent by up to 120° |
| legs | up to 60° apart, knees bent by up to 70° |
| build | lengths and widths of limbs vary by a fifth |
| colors | of skin, hair, shirt and trousers: any |
| light | a gradient from 0.6 to 1.4 between opposite edges |
| noise | a standard deviation of 0 to 10 levels of 255 |

People face the viewer, so that their left arm is on the right in an upright image.
"""

from dataclasses import dataclass

import numpy as np
from PIL import ImageDraw

from drawing import (
    FINENESS, Pose, Thing, bounds, color_unlike, ellipse, finished, polygon, random_size, relative,
    relative_box,
)  # fmt: skip
from photographs import average_color, piece

LABEL = "person"
JOINTS = [
    "head", "neck", "left shoulder", "right shoulder", "left elbow", "right elbow", "left wrist",
    "right wrist", "left hip", "right hip", "left knee", "right knee", "left ankle", "right ankle",
]  # fmt: skip
LIMBS = [
    ("head", "neck"), ("left shoulder", "right shoulder"), ("left hip", "right hip"),
    *((f"{side} {start}", f"{side} {end}") for side in ("left", "right") for start, end in (
        ("shoulder", "elbow"), ("elbow", "wrist"), ("shoulder", "hip"), ("hip", "knee"), ("knee", "ankle"),
    )),
]  # fmt: skip
HEIGHTS = 0.55, 0.95
TURNS = np.radians(-25), np.radians(25)


@dataclass
class Joints:
    """The joints of a person of unit trunk length by name, before the transform to pixels."""

    points: dict
    width: float  # of the limbs
    head: float  # the radius

    def all(self):
        return np.array([self.points[name] for name in JOINTS])

    def outline(self):
        """Returns the joints, widened by the head, hands and feet."""
        ends = [name for name in JOINTS if name.split()[-1] in ("wrist", "ankle")]
        places = [(*self.points["head"], self.head * 1.2), *((*self.points[name], self.width) for name in ends)]
        return np.concatenate([ellipse(x, y, radius, radius) for x, y, radius in places] + [self.all()])


def posture(random):
    """Returns random joints: the neck at the origin, the hips one below."""
    build = random.uniform(0.85, 1.15)
    points = {"head": (random.uniform(-0.08, 0.08), -0.42), "neck": (0.0, -0.06)}
    for side, sign in ("left", 1), ("right", -1):
        shoulder, hip = (sign * 0.34 * build, 0.06), (sign * 0.22 * build, 1.0)
        raised = np.radians(random.uniform(5, 165))
        elbow = _from(shoulder, raised * sign, random.uniform(0.5, 0.65))
        bent = raised + np.radians(random.uniform(-30, 120) if raised < np.pi / 2 else random.uniform(-60, 60))
        wrist = _from(elbow, bent * sign, random.uniform(0.45, 0.6))
        spread = np.radians(random.uniform(-5, 55))
        knee = _from(hip, spread * sign, random.uniform(0.65, 0.8))
        ankle = _from(knee, (spread - np.radians(random.uniform(-10, 70))) * sign, random.uniform(0.65, 0.8))
        points |= {
            f"{side} {name}": place
            for name, place in zip(
                ("shoulder", "elbow", "wrist", "hip", "knee", "ankle"),
                (shoulder, elbow, wrist, hip, knee, ankle),
            )
        }
    return Joints(points, random.uniform(0.15, 0.22), random.uniform(0.24, 0.32))


def _from(place, angle, length):
    """Returns the point at a distance, at an angle from straight down to the right."""
    return place[0] + np.sin(angle) * length, place[1] + np.cos(angle) * length


class PersonDrawing:
    """Draws one person at a pose, from back to front."""

    def __init__(self, picture, pose, joints, random):
        self.draw, self.pose, self.joints, self.random = ImageDraw.Draw(picture), pose, joints, random
        ground = average_color(picture, self.box())
        self.shirt = color_unlike(random, [ground])
        self.trousers = color_unlike(random, [ground, self.shirt])
        self.skin = color_unlike(random, [ground, self.shirt])
        self.hair = color_unlike(random, [self.skin])

    def box(self):
        return bounds(self.pose.placed(self.joints.outline()))

    def places(self):
        return self.pose.placed(self.joints.all())

    def everything(self):
        points, width = self.joints.points, self.joints.width
        for side in "left", "right":
            self.limb([f"{side} hip", f"{side} knee", f"{side} ankle"], self.trousers, width * 1.15)
            self.ball(points[f"{side} ankle"], width * 0.7, self.hair)
        trunk = [points[name] for name in ("left shoulder", "left hip", "right hip", "right shoulder")]
        self.limb(["left hip", "right hip"], self.trousers, width * 1.3)
        polygon(self.draw, self.pose.placed(trunk), self.shirt)
        for side in "left", "right":
            self.limb([f"{side} shoulder", f"{side} elbow", f"{side} wrist"], self.shirt, width)
            self.ball(points[f"{side} wrist"], width * 0.6, self.skin)
        self.limb(["head", "neck"], self.skin, width)
        self.face()

    def face(self):
        (x, y), radius = self.joints.points["head"], self.joints.head
        self.ball((x, y - 0.04), radius * 1.08, self.hair)
        self.fill(ellipse(x, y + 0.04, radius * 0.86, radius * 0.9), self.skin)
        for side in -1, 1:
            self.ball((x + side * radius * 0.35, y), radius * 0.13, (20, 20, 20))
        self.fill(ellipse(x, y + radius * 0.5, radius * 0.35, radius * 0.1), (160, 40, 40))

    def limb(self, names, color, width):
        placed = self.pose.placed([self.joints.points[name] for name in names])
        thickness = max(1, round(width * self.pose.size))
        ink = tuple(int(value) for value in color)
        self.draw.line([tuple(point) for point in placed], fill=ink, width=thickness, joint="curve")
        for end in placed:
            self.draw.ellipse((*(end - thickness / 2), *(end + thickness / 2)), fill=ink)

    def ball(self, place, radius, color):
        self.fill(ellipse(*place, radius, radius), color)

    def fill(self, points, color):
        polygon(self.draw, self.pose.placed(points), color)


def scene(random, longer_side, part):
    """Draws an image of one person and returns it with the person."""
    size = random_size(random, longer_side)
    large = size[0] * FINENESS, size[1] * FINENESS
    picture = piece(random, large, part)
    person = placed_person(random, picture)
    person.everything()
    thing = Thing(LABEL, relative_box(person.box(), large), relative(person.places(), large))
    return finished(picture, size, random), thing


def placed_person(random, picture):
    """Returns a person who is entirely inside the image."""
    joints = posture(random)
    angle = random.uniform(*TURNS)
    left, top, right, bottom = bounds(Pose(0, 0, 1, angle).placed(joints.outline()))
    height = random.uniform(*HEIGHTS) * min(picture.size)
    scale = min(height / (bottom - top), 0.98 * picture.width / (right - left))
    room = picture.width - (right - left) * scale, picture.height - (bottom - top) * scale
    x, y = (random.uniform(0, free) for free in room)
    return PersonDrawing(picture, Pose(x - left * scale, y - top * scale, scale, angle), joints, random)
