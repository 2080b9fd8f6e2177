"""The files of the project: what git knows or would take, or all of a folder that is no clone."""

import os
import subprocess


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
    """The file's text, or None for a file that is none."""
    try:
        with open(os.path.join(root, name), encoding="utf-8") as file:
            return file.read()
    except UnicodeDecodeError:
        return None
