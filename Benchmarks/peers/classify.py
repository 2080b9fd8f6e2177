"""Measures whole processes of classify_once.py, a typical user's script."""

import subprocess
import sys
from pathlib import Path

from measuring import arguments, measure

SCRIPT = Path(__file__).with_name("classify_once.py")


def main():
    given = arguments("model", "labels", "jpeg", description=__doc__)
    command = [sys.executable, SCRIPT, given.model, given.labels, given.jpeg, str(given.threads)]

    def process():
        subprocess.run(
            command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    measure("classify.py", given.jpeg, given, {"process": process})


if __name__ == "__main__":
    main()
