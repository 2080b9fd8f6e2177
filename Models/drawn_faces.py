"""Cartoon faces: identities, and their appearance in individual images.

A face is drawn in units of the distance between its eyes, from the point between them, y down.

| identity | variation |
|---|---|
| skin, hair, eyes, lips, frames, clothes | colors from palettes, slightly mixed |
| head | width 0.92 to 1.12, length 0.9 to 1.15, a round or a narrow chin |
| hair | bald, short, long, curly, spiky, bun, with or without a fringe |
| eyes, brows | size, roundness, thickness, slant |
| nose, mouth | three noses; length, width, fullness |
| extras | glasses, round or square; beard or mustache; freckles; earrings |

| appearance | variation |
|---|---|
| position, size | 0.5 to 1.5 times the usual size |
| rotation | -30° to 30° |
| expression | from sad to laughing, brows, eyelids, gaze |
| head pose | nose, mouth and eyes are shifted to one side |
| light | a gradient from 0.6 to 1.4 between opposite edges |
| noise | a standard deviation of 0 to 10 levels of 255 |
| occlusion | half of the faces have a plain bar over a tenth of their box |
| background | a crop of a photograph |
"""

from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw

from drawing import (
    FINENESS, SCALES, TURNS, Pose, Thing, bounds, ellipse, finished, hide_part, overlaps, polygon,
    relative, relative_box,
)  # fmt: skip
from photographs import piece

LABEL = "face"
LANDMARKS = ["left eye", "right eye", "nose", "mouth"]  # as the viewer sees them
USUAL_EYES = 0.09  # between the eyes, in parts of the picture's longer side

SKINS = [(255, 224, 196), (241, 194, 155), (224, 172, 120), (198, 134, 84), (141, 85, 50), (88, 54, 38)]
HAIRS = [
    (30, 24, 22), (84, 52, 30), (150, 95, 45), (225, 185, 95), (190, 70, 30), (165, 165, 170),
    (60, 90, 190), (215, 90, 160), (70, 150, 90),
]  # fmt: skip
EYES = [(70, 42, 24), (50, 110, 190), (60, 140, 80), (120, 120, 125), (150, 110, 40)]
FRAMES = [(20, 20, 25), (190, 30, 40), (30, 70, 160), (200, 160, 40), (240, 240, 240)]
CLOTHES = [(200, 50, 50), (40, 90, 170), (50, 140, 90), (230, 180, 50), (120, 70, 150), (60, 60, 70)]
HAIR_STYLES = ["bald", "short", "long", "curly", "spiky", "bun"]
NOSES = ["round", "long", "wide"]
GLASSES = ["none", "none", "round", "square"]
BEARDS = ["none", "none", "moustache", "full", "goatee"]


@dataclass
class Identity:
    skin: np.ndarray
    hair: np.ndarray
    eyes: np.ndarray
    lips: np.ndarray
    frames: np.ndarray
    clothes: np.ndarray
    width: float
    length: float
    chin: float
    hair_style: str
    fringe: float
    eye_size: float
    eye_roundness: float
    brow_thickness: float
    brow_slant: float
    nose: str
    nose_length: float
    mouth_width: float
    mouth_height: float
    fullness: float
    glasses: str
    beard: str
    freckles: bool
    earrings: bool


@dataclass
class Look:
    smile: float = 0.5
    openness: float = 1
    brows: float = 0
    gaze: float = 0
    turn: float = 0


def identity(random):
    skin = _of(random, SKINS, 10)
    return Identity(
        skin=skin,
        hair=_of(random, HAIRS, 12),
        eyes=_of(random, EYES, 8),
        lips=skin * random.uniform(0.6, 0.9) * (1, 0.7, 0.75) + (random.uniform(0, 70), 0, 0),
        frames=_of(random, FRAMES, 0),
        clothes=_of(random, CLOTHES, 15),
        width=random.uniform(0.92, 1.12),
        length=random.uniform(0.9, 1.15),
        chin=random.uniform(0.45, 0.9),
        hair_style=_one(random, HAIR_STYLES),
        fringe=random.choice([0, 0, random.uniform(0.25, 0.5)]),
        eye_size=random.uniform(0.15, 0.25),
        eye_roundness=random.uniform(0.55, 1),
        brow_thickness=random.uniform(0.04, 0.13),
        brow_slant=random.uniform(-0.12, 0.12),
        nose=_one(random, NOSES),
        nose_length=random.uniform(0.4, 0.62),
        mouth_width=random.uniform(0.25, 0.48),
        mouth_height=random.uniform(0.95, 1.1),
        fullness=random.uniform(0.05, 0.13),
        glasses=_one(random, GLASSES),
        beard=_one(random, BEARDS),
        freckles=random.random() < 0.2,
        earrings=random.random() < 0.25,
    )


def look(random):
    return Look(
        random.uniform(-0.6, 1), random.uniform(0.5, 1.1), random.uniform(-0.06, 0.1), *random.uniform(-1, 1, 2)
    )


def _of(random, palette, spread):
    color = np.array(palette[random.integers(len(palette))], float)
    return np.clip(color + random.uniform(-spread, spread, 3), 0, 255)


def _one(random, names):
    return names[random.integers(len(names))]


class FaceDrawing:
    """Draws one face at a pose, from back to front."""

    def __init__(self, picture, pose, who, how):
        self.draw = ImageDraw.Draw(picture)
        self.pose, self.who, self.how = pose, who, how
        self.aside = how.turn * 0.07
        self.skin_shade = who.skin * 0.82

    def fill(self, points, color):
        polygon(self.draw, self.pose.placed(points), color)

    def line(self, points, color, thickness):
        """A line with round ends."""
        placed = self.pose.placed(points)
        width = max(1, round(thickness * self.pose.size))
        ink = tuple(int(value) for value in color)
        self.draw.line([tuple(point) for point in placed], fill=ink, width=width, joint="curve")
        for end in placed[0], placed[-1]:
            self.draw.ellipse((*(end - width / 2), *(end + width / 2)), fill=ink)

    def head(self):
        """Returns the outline of the head: half an ellipse above, a chin below."""
        who = self.who
        top = ellipse(0, 0.1, who.width, 1.15 * who.length, 180, 360)
        across = np.linspace(1, -1, 40)
        power = 1.6 + 2 * who.chin
        depth = 1.35 * who.length * (1 - np.abs(across) ** power) ** (1 / 1.8)
        return np.concatenate([top, np.stack([who.width * across, 0.1 + depth], 1)])

    def box(self):
        """Returns the box of the face: the head without hair and neck."""
        return bounds(self.pose.placed(self.head()))

    def landmarks(self):
        mouth = 0.98 * self.who.mouth_height * self.who.length
        inner = [(self.aside, self.who.nose_length), (self.aside, mouth)]
        return self.pose.placed([(-0.5, 0), (0.5, 0), *inner])

    def everything(self):
        self.hair_behind()
        self.body()
        self.fill(self.head(), self.who.skin)
        self.ears()
        for part in (
            self.freckles, self.beard, self.eyes, self.hair_before, self.brows, self.nose, self.mouth,
            self.moustache, self.glasses,
        ):  # fmt: skip
            part()

    def body(self):
        self.fill([(-0.4, 1), (0.4, 1), (0.45, 1.9), (-0.45, 1.9)], self.skin_shade)
        self.fill(ellipse(0, 2.6, 1.5, 0.95, 180, 360), self.who.clothes)

    def ears(self):
        for side in -1, 1:
            self.fill(ellipse(side * self.who.width, 0.22, 0.16, 0.26), self.who.skin)
            if self.who.earrings:
                self.fill(ellipse(side * (self.who.width + 0.04), 0.52, 0.08, 0.08), (250, 210, 60))

    def hair_behind(self):
        who, top = self.who, -1.05 * self.who.length
        if who.hair_style == "long":
            self.fill(ellipse(0, 0.35, who.width + 0.32, 1.7 * who.length), who.hair)
        if who.hair_style == "bun":
            self.fill(ellipse(0, top - 0.25, 0.42, 0.4), who.hair)
        if who.hair_style == "curly":
            for angle in np.radians(np.arange(160, 390, 22)):
                x, y = (who.width + 0.12) * np.cos(angle), 0.05 + 1.15 * who.length * np.sin(angle)
                self.fill(ellipse(x, y, 0.34, 0.34), who.hair)

    def hair_before(self):
        who, style = self.who, self.who.hair_style
        if style == "bald":
            return
        brow = -0.62 + who.fringe * 0.5
        cap = ellipse(0, 0.1, who.width + 0.06, 1.15 * who.length + 0.12, 190, 350)
        self.fill(np.concatenate([cap, [(0.62, brow), (0.1, brow - 0.2 + who.fringe * 0.5), (-0.62, brow)]]), who.hair)
        if style == "spiky":
            for x in np.linspace(-0.8, 0.8, 6):
                foot = 0.1 - 1.15 * who.length * np.sqrt(1 - (x / (who.width + 0.1)) ** 2)
                self.fill([(x - 0.2, foot + 0.12), (x * 1.25, foot - 0.42), (x + 0.2, foot + 0.12)], who.hair)

    def eyes(self):
        who, how = self.who, self.how
        height = who.eye_size * who.eye_roundness * how.openness
        for side in -1, 1:
            x = side * 0.5
            self.fill(ellipse(x, 0, who.eye_size, height), (250, 250, 250))
            pupil = x + how.gaze * who.eye_size * 0.35
            radius = min(who.eye_size * 0.6, height * 0.95)
            self.fill(ellipse(pupil, 0, radius, radius), who.eyes)
            self.fill(ellipse(pupil, 0, radius * 0.5, radius * 0.5), (15, 15, 15))
            self.line(ellipse(x, 0, who.eye_size, height, 190, 350), self.skin_shade * 0.5, 0.05)

    def brows(self):
        y = -0.38 - self.how.brows
        for side in -1, 1:
            inner, outer = (side * 0.28, y + self.who.brow_slant), (side * 0.75, y - self.who.brow_slant)
            middle = (side * 0.5, y - 0.06)
            self.line([inner, middle, outer], self.who.hair * 0.7, self.who.brow_thickness)

    def nose(self):
        x, y = self.aside, self.who.nose_length
        if self.who.nose == "round":
            self.fill(ellipse(x, y, 0.15, 0.13), self.skin_shade)
        elif self.who.nose == "wide":
            self.line(ellipse(x, y - 0.04, 0.22, 0.12, 10, 170), self.skin_shade * 0.75, 0.07)
        else:
            self.line([(x - 0.02, 0.12), (x + 0.13, y), (x - 0.08, y + 0.03)], self.skin_shade * 0.75, 0.06)

    def mouth(self):
        who, how = self.who, self.how
        y = 0.98 * who.mouth_height * who.length
        x = np.linspace(-1, 1, 20)
        bend = 0.2 * how.smile * (1 - x**2)
        middle = np.stack([self.aside + who.mouth_width * x, y - 0.1 * how.smile + bend], 1)
        if how.smile > 0.55:
            upper = np.stack([middle[::-1, 0], np.full(20, y - 0.1 * how.smile)], 1)
            self.fill(np.concatenate([middle, upper]), (250, 245, 240))
        self.line(middle, who.lips, who.fullness)

    def beard(self):
        who = self.who
        if who.beard == "full":
            jaw = self.head()[40:]
            inside = jaw[::-1] * (0.78, 0.62) + (0, 0.28)
            self.fill(np.concatenate([jaw[2:-2], inside[2:-2]]), who.hair * 0.85)
        if who.beard == "goatee":
            self.fill(ellipse(self.aside, 1.33 * who.length, 0.26, 0.24), who.hair * 0.85)

    def moustache(self):
        if self.who.beard in ("moustache", "full"):
            y = (self.who.nose_length + 0.98 * self.who.mouth_height * self.who.length) / 2 + 0.03
            for side in -1, 1:
                points = [(self.aside + side * 0.02, y - 0.03), (self.aside + side * 0.36, y + 0.08)]
                self.line(points, self.who.hair * 0.85, 0.12)

    def freckles(self):
        if self.who.freckles:
            for x, y in [(0.4, 0.42), (0.55, 0.52), (0.68, 0.4), (0.52, 0.36), (0.7, 0.55)]:
                for side in -1, 1:
                    self.fill(ellipse(side * x, y, 0.035, 0.035), self.skin_shade * 0.8)

    def glasses(self):
        if self.who.glasses == "none":
            return
        corners = ellipse(0, 0, 0.36, 0.36)
        if self.who.glasses == "square":
            corners = np.array([(-0.36, -0.27), (0.36, -0.27), (0.34, 0.27), (-0.34, 0.27), (-0.36, -0.27)])
        for side in -1, 1:
            self.line(corners + (side * 0.5, 0.02), self.who.frames, 0.07)
            self.line([(side * 0.86, 0), (side * self.who.width, 0.02)], self.who.frames, 0.07)
        self.line([(-0.14, 0), (0.14, 0)], self.who.frames, 0.07)


def draw_face(picture, pose, who, random):
    """Draws a person with a given appearance; returns the face's box and landmarks in pixels."""
    drawing = FaceDrawing(picture, pose, who, look(random))
    drawing.everything()
    box = drawing.box()
    if random.random() < 0.5:
        hide_part(picture, box, random)
    return box, drawing.landmarks()


def group(random, people, size, part):
    """Draws several named people and returns their faces; people that do not fit are omitted."""
    large = size[0] * FINENESS, size[1] * FINENESS
    picture = piece(random, large, part)
    things = []
    for name, pose in from_above(random, people, large):
        box, landmarks = draw_face(picture, pose, people[name], random)
        things.append(Thing(name, relative_box(box, large), relative(landmarks, large)))
    return finished(picture, size, random), things


def from_above(random, people, size):
    """Returns names and poses such that no person's clothes occlude the face of another."""
    rooms, poses = [], {}
    for name, who in people.items():
        pose, room = free_place(random, who, size, rooms)
        if pose is not None:
            rooms.append(room)
            poses[name] = pose
    return sorted(poses.items(), key=lambda placed: placed[1].y)


def free_place(random, who, size, boxes):
    """Returns a pose whose head and hair overlap no other person, and the occupied area."""
    usual = USUAL_EYES * max(size)
    for _ in range(60):
        pose = Pose(*random.uniform(0, size), usual * random.uniform(*SCALES), random.uniform(*TURNS))
        left, top, right, bottom = bounds(pose.placed(FaceDrawing(Image.new("L", (1, 1)), pose, who, Look()).head()))
        margin = 0.25 * pose.size
        room = left - margin, top - 1.6 * margin, right + margin, bottom + margin
        inside = left >= 0 and top >= 0 and right <= size[0] and bottom <= size[1]
        if inside and not overlaps(room, boxes):
            return pose, room
    return None, None


def portrait(random, who, size, part):
    """Draws one nearly upright person who fills the image."""
    large = size * FINENESS, size * FINENESS
    picture = piece(random, large, part)
    eyes = random.uniform(0.15, 0.2) * large[0]
    middle = random.uniform(0.45, 0.55) * large[0], random.uniform(0.42, 0.5) * large[0]
    box, landmarks = draw_face(picture, Pose(*middle, eyes, random.uniform(*TURNS) / 3), who, random)
    return finished(picture, (size, size), random), Thing(LABEL, relative_box(box, large), relative(landmarks, large))
