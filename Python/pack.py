"""Packs a folder into a wheel: python pack.py FOLDER OUTPUT PROJECT ARCHITECTURE."""

import base64
import hashlib
import os
import sys
import tomllib
import zipfile

folder, output, project, architecture = sys.argv[1:]
with open(os.path.join(project, "pyproject.toml"), "rb") as file:
    settings = tomllib.load(file)["project"]
version, requires = settings["version"], settings["dependencies"]
extras = [(extra, name) for extra, names in settings["optional-dependencies"].items() for name in names]
# Files have the name of the distribution with an underscore.
distribution = settings["name"]
stem = f"{distribution.replace('-', '_')}-{version}"
tag = f"cp311-abi3-linux_{architecture}"
info = f"{stem}.dist-info"
with open(os.path.join(project, "README.md"), encoding="utf-8") as file:
    readme = file.read()
metadata = "\n".join([
    "Metadata-Version: 2.1", f"Name: {distribution}", f"Version: {version}",
    "Summary: Run machine-learning models from bundles", "License: Apache-2.0",
    "Requires-Python: >=3.11", "Description-Content-Type: text/markdown",
    *[f"Requires-Dist: {name}" for name in requires],
    *dict.fromkeys(line for extra, name in extras
                   for line in (f"Provides-Extra: {extra}",
                                f"Requires-Dist: {name}; extra == '{extra}'")),
    "", readme])
wheel = "\n".join(
    ["Wheel-Version: 1.0", "Generator: tensorio", "Root-Is-Purelib: false", f"Tag: {tag}", ""])
entry_points = "[console_scripts]\ntensorio = tensorio.__main__:main\n"
os.makedirs(output, exist_ok=True)
for name in os.listdir(output):
    os.remove(os.path.join(output, name))
records = []
with zipfile.ZipFile(os.path.join(output, f"{stem}-{tag}.whl"), "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
    def add(name, content, mode=0o644):
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        entry.external_attr = (0o100000 | mode) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(entry, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        records.append(f"{name},sha256={digest},{len(content)}")

    for path, _, names in sorted(os.walk(os.path.join(folder, "tensorio"))):
        for name in sorted(names):
            source = os.path.join(path, name)
            with open(source, "rb") as file:
                add(os.path.relpath(source, folder), file.read(), os.stat(source).st_mode & 0o777)
    with open(os.path.join(folder, "LICENSE"), "rb") as file:
        add(f"{info}/LICENSE", file.read())
    for name in sorted(os.listdir(os.path.join(folder, "licenses"))):
        with open(os.path.join(folder, "licenses", name), "rb") as file:
            add(f"{info}/licenses/{name}", file.read())
    add(f"{info}/METADATA", metadata.encode())
    add(f"{info}/WHEEL", wheel.encode())
    add(f"{info}/entry_points.txt", entry_points.encode())
    record = f"{info}/RECORD"
    archive.writestr(record, "\n".join(records + [f"{record},,", ""]))
print(f"{output}: {tag}")
