"""Prints the test targets, and the checks of Scripts/test, that have changed since they last passed, each with its digest.

A target has changed if one of its files, of the targets that it depends on, of the fixtures and documents, or of the installed
runtimes and programs has. Scripts/test/swift records the digest of what has passed in .build/passed/NAME.
"""

import hashlib
import json
import os
import shutil
import subprocess

from project_files import ROOT, project_files

PASSED = os.path.join(ROOT, ".build/passed")
# What the checks compile.
CHECKS = {
    "examples": ["TensorIO", "TensorIOData", "TensorIODrawing", "TensorIOEvaluation", "TensorIORuntimeConformance"],
    "typed-models": ["tensorio"],
    "apps": ["tensorio", "TensorIO", "TensorIOData", "TensorIODrawing", "TensorIOEvaluation"],
    "tutorials": ["tensorio", "TensorIO", "TensorIOData", "TensorIODrawing", "TensorIOEvaluation"],
}
# The compiler, and programs without which some tests do nothing.
PROGRAMS = ("swift", "curl", "chromium", "ffmpeg", "minisign")
# Files that no test of Swift reads.
UNREAD = ("Benchmarks/", "Python/", "Scripts/fixtures/", "Scripts/lint/", "Scripts/measure/", "Scripts/release/",
          ".ci/", "CHANGELOG.md")


def targets():
    """The folders and dependencies of the targets by name, and the names of the test targets."""
    text = subprocess.run(
        ["swift", "package", "--package-path", ROOT, "dump-package"], check=True, capture_output=True, text=True).stdout
    found = {
        one["name"]: (one["path"] + "/", [(use.get("byName") or use["target"])[0] for use in one["dependencies"]])
        for one in json.loads(text)["targets"]}
    return found, [one["name"] for one in json.loads(text)["targets"] if one["type"] == "test"]


def closure(names, found):
    """The targets and everything that they depend on."""
    result, rest = set(), list(names)
    while rest:
        name = rest.pop()
        if name not in result:
            result.add(name)
            rest += found[name][1]
    return result


def installed():
    """The installed programs and runtimes, and whether the fixtures beside the project are there."""
    for program in PROGRAMS:
        yield f"{program} {os.path.realpath(shutil.which(program) or '')}"
    home = os.environ.get("TENSORIO_HOME") or os.path.join(
        os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share"), "tensorio")
    yield str(os.path.exists(os.environ.get("TENSORIO_SHARED") or os.path.join(ROOT, "../shared")))
    for folder, folders, names in os.walk(home):
        folders.sort()
        for name in sorted(names):
            if ".so" in name:
                yield f"{folder}/{name} {os.path.getsize(os.path.join(folder, name))}"


def main():
    found, tests = targets()
    folders = sorted((path, name) for name, (path, _) in found.items())
    digests = {name: hashlib.sha256() for name in [*found, "rest"]}
    for line in installed():
        digests["rest"].update(line.encode())
    for name in project_files(ROOT):
        if name.startswith(UNREAD):
            continue
        owner = next((target for path, target in folders if name.startswith(path)), "rest")
        with open(os.path.join(ROOT, name), "rb") as file:
            digests[owner].update(name.encode() + hashlib.sha256(file.read()).digest())
    for name, roots in {**{name: [name] for name in tests}, **CHECKS}.items():
        digest = hashlib.sha256(b"".join(digests[one].digest() for one in sorted(closure(roots, found)) + ["rest"])).hexdigest()
        recorded = os.path.join(PASSED, name)
        if os.path.exists(recorded):
            with open(recorded, encoding="utf-8") as file:
                if file.read() == digest:
                    continue
        print(name, digest)


if __name__ == "__main__":
    main()
