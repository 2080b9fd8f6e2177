"""The files of the project: tracked and untracked files of a clone, or all files of another folder."""

import os
import subprocess

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))


def project_files(root):
    if os.path.exists(os.path.join(root, ".git")):
        listing = subprocess.run(
            ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            check=True, capture_output=True,
        ).stdout.decode()
        names = set(filter(None, listing.split("\0")))
        return sorted(name for name in names if os.path.isfile(os.path.join(root, name)))
    return sorted(_walk(root))


def _walk(root):
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".build")]
        for name in names:
            yield os.path.relpath(os.path.join(folder, name), root)


def read_text(root, name):
    """Returns the text of a file, or None for a binary file."""
    try:
        with open(os.path.join(root, name), encoding="utf-8") as file:
            return file.read()
    except UnicodeDecodeError:
        return None
