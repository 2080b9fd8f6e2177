"""The modules of the debug build, for scripts that compile against them or read their symbols."""

import glob
import json
import os
import re
import subprocess
import sys

BUILD = ".build/debug"


def libraries(root):
    """The names of the public libraries, without those that another one re-exports."""
    with open(os.path.join(root, "Package.swift"), encoding="utf-8") as file:
        products = re.findall(r'^    \.library\(name: "(\w+)", targets', file.read(), re.MULTILINE)
    exported = {name for product in products for name in reexports(root, product)}
    return [name for name in products if name not in exported]


def source_folder(root, library):
    """The folder of a library in Sources/."""
    folder = library if library in ("TensorIO", "TensorIOC") else library.removeprefix("TensorIO")
    (path,) = glob.glob(os.path.join(root, "Sources", "*", folder))
    return path


def reexports(root, library):
    """The modules whose declarations are part of a library."""
    names = []
    folder = source_folder(root, library)
    for name in sorted(os.listdir(folder)):
        if name.endswith(".swift"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                names += re.findall(r"^ *@_exported public import (\w+)", file.read(), re.MULTILINE)
    return names


def compiler_flags(root):
    """The flags with which a program outside the package imports its modules."""
    flags = ["-target", _triple(), "-I", os.path.join(root, BUILD, "Modules"),
             "-module-cache-path", os.path.join(root, ".build/docs-module-cache")]
    for folder in sorted(glob.glob(os.path.join(root, "Sources/*/C[A-Z]*"))):
        name = os.path.basename(folder)
        own = os.path.join(folder, "module.modulemap")
        if os.path.exists(own):
            flags += ["-Xcc", "-fmodule-map-file=" + own]
        else:
            generated = os.path.join(root, BUILD, name + ".build", "module.modulemap")
            include = os.path.join(folder, "include")
            flags += ["-Xcc", "-fmodule-map-file=" + generated, "-Xcc", "-I" + include]
    return flags + _system_library_flags(root)


def objects(root):
    """The compiled modules of the debug build of `tensorio`, without the program that was linked from them."""
    with open(os.path.join(root, BUILD, "tensorio.product/Objects.LinkFileList"), encoding="utf-8") as file:
        paths = [line.strip().strip("'\"") for line in file]
    return [path for path in paths if path and "/tensorio.build/" not in path]


def link_flags():
    """The flags that link a program with the modules' libraries."""
    found = subprocess.run(["pkg-config", "--libs", "libturbojpeg", "libpng", "zlib"],
                           check=True, capture_output=True, text=True)
    return [*found.stdout.split(), "-ldl", "-lstdc++"]


def build_program(root, program, sources):
    """Compiles and links a program with the modules of the debug build; warnings are errors."""
    compiler = subprocess.run(
        ["swiftc", "-Onone", "-swift-version", "6", "-warnings-as-errors", "-parse-as-library",
         "-module-name", os.path.basename(program), "-o", program, *compiler_flags(root), *sources,
         *objects(root), *link_flags()])
    if compiler.returncode != 0:
        sys.exit(f"error: {os.path.basename(program)} does not compile")


def symbol_graphs(root, library, folder):
    """Writes the symbol graphs of a library and of the modules that it re-exports."""
    os.makedirs(folder, exist_ok=True)
    subprocess.run(
        ["swift-symbolgraph-extract", "-module-name", library, "-output-dir", folder,
         "-minimum-access-level", "public", "-skip-inherited-docs",
         "-experimental-allowed-reexported-modules=" + ",".join(reexports(root, library))]
        + compiler_flags(root), check=True)


def symbols(folder, library):
    """The symbols of a library in a folder of symbol graphs."""
    with open(os.path.join(folder, library + ".symbols.json"), encoding="utf-8") as file:
        return json.load(file)["symbols"]


def _triple():
    info = subprocess.run(["swiftc", "-print-target-info"], check=True, capture_output=True)
    return json.loads(info.stdout)["target"]["triple"]


def _system_library_flags(root):
    with open(os.path.join(root, "Package.swift"), encoding="utf-8") as file:
        names = re.findall(r'pkgConfig: "([^"]+)"', file.read())
    found = subprocess.run(["pkg-config", "--cflags-only-I", *names], check=True, capture_output=True, text=True)
    return [part for flag in found.stdout.split() for part in ("-Xcc", flag)]
