"""Draws annotated images that no example model was trained with."""

import argparse
from pathlib import Path

from drawn_sets import write_faces, write_shapes

WRITERS = {"shapes": write_shapes, "faces": write_faces}


def main():
    parser = argparse.ArgumentParser(prog="draw", description=__doc__)
    parser.add_argument("what", choices=WRITERS)
    parser.add_argument("--count", type=int, default=100, help="how many pictures; of faces, how many groups")
    parser.add_argument("--out", type=Path, required=True, help="a folder, which is begun anew")
    parser.add_argument("--seed", type=int, default=1000, help="other seeds draw others")
    chosen = parser.parse_args()
    WRITERS[chosen.what](chosen.out, chosen.count, chosen.seed)


if __name__ == "__main__":
    main()
