"""The command line: ``python -m tensorio``."""

import os
import sys

from . import _runtimes
from ._commands import executable


def main() -> None:
    """Replaces this process by the command line."""
    _runtimes.find()
    os.execv(executable(), ["tensorio", *sys.argv[1:]])


if __name__ == "__main__":
    main()
