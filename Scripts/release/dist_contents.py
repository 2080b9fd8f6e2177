"""The texts of a release: manual pages, the bill of materials, licenses and the control file of the Debian package.

  dist_contents.py manual FOLDER TENSORIO…
  dist_contents.py normalize FILE…
  dist_contents.py licenses
  dist_contents.py materials VERSION TREE
  dist_contents.py control VERSION ARCHITECTURE TREE

TENSORIO_DIST_PACKAGES is a folder with the Debian packages of another architecture, in place of those that are installed.
"""

import functools
import glob
import hashlib
import json
import os
import re
import struct
import subprocess
import sys
import time
import uuid

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
SUMMARY = "Run, train, evaluate and serve machine-learning models"
HOMEPAGE_UUID = uuid.uuid5(uuid.NAMESPACE_DNS, "tensorio")
# Debian's packages of libraries that are opened when they are needed, with the license of each.
OPENED = {
    "libcairo2": ("libcairo.so.2", "LGPL-2.1-only OR MPL-1.1"),
    "libfreetype6": ("libfreetype.so.6", "FTL OR GPL-2.0-or-later"),
    "libexpat1": ("libexpat.so.1", "MIT"),
    "libwebp7": ("libwebp.so.7", "BSD-3-Clause"),
    "libsqlite3-0": ("libsqlite3.so.0", "blessing"),
    "libsodium23": ("libsodium.so.23", "ISC"),
    "libnghttp2-14": ("libnghttp2.so.14", "MIT"),
}
LINKED_LICENSES = {
    "libturbojpeg0": "BSD-3-Clause AND IJG AND Zlib", "libpng16-16": "libpng-2.0", "zlib1g": "Zlib",
    "libc6": "LGPL-2.1-or-later", "libstdc++6": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libgcc-s1": "GPL-3.0-or-later WITH GCC-exception-3.1",
}
# Later releases of Debian have the library in another package.
ALTERNATIVES = {"libsodium23": "libsodium23 | libsodium26", "libpng16-16t64": "libpng16-16 | libpng16-16t64"}
# Programs and files that commands use: fonts of drawings, and pip, which downloads runtimes.
RECOMMENDED = ["fonts-dejavu-core", "python3", "python3-pip"]
SUGGESTED = ["ffmpeg"]
RUNTIMES = [("LiteRT", "Apache-2.0"), ("TensorFlow", "Apache-2.0"), ("ONNX Runtime", "MIT")]


def manual(folder, *tensorio):
    """Writes tensorio.1 and a page for each command."""
    overview = output_of(*tensorio, "--help")
    commands = re.findall(r"^  (\w+) {2,}(.+)$", overview.partition("commands:\n")[2].partition("\n\n")[0], re.M)
    if len(commands) < 20:
        sys.exit("error: the commands cannot be read from the help")
    write(folder, "tensorio.1", Page("tensorio", SUMMARY, overview, [f"tensorio-{name}" for name, _ in commands]))
    for name, summary in commands:
        write(folder, f"tensorio-{name}.1", Page(f"tensorio-{name}", summary, output_of(*tensorio, "help", name), ["tensorio"]))


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def write(folder, name, page):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(page.roff())


class Page:
    """A help page as a manual page."""

    def __init__(self, name, summary, text, related):
        self.name, self.summary, self.related = name, summary, related
        self.sections = self.parse(text)

    @staticmethod
    def parse(text):
        """The sections of a help page: a title, and its lines."""
        sections, title = [("DESCRIPTION", [])], None
        for line in text.split("\n")[1:]:
            usage = re.match(r"usage: (.*)$", line)
            if usage:
                sections.insert(0, ("SYNOPSIS", [usage.group(1)]))
                title = "SYNOPSIS"
            elif title == "SYNOPSIS" and line.startswith("       "):
                sections[0][1].append(line.strip())
            elif re.match(r"[a-z ]+:$", line):
                title = line[:-1].upper()
                sections.append((title, []))
            elif title in (None, "SYNOPSIS", "DESCRIPTION") or (line and not line.startswith(" ")):
                title = "DESCRIPTION"
                next(lines for known, lines in sections if known == "DESCRIPTION").append(line)
            else:
                sections[-1][1].append(line)
        return [(title, lines) for title, lines in sections if any(lines)]

    def roff(self):
        date = time.strftime("%Y-%m-%d", time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"])))
        lines = [f'.TH "{self.name.upper()}" 1 "{date}" "TensorIO" "User Commands"', ".SH NAME",
                 f"{escaped(self.name)} \\- {escaped(self.summary)}"]
        for title, content in self.sections:
            lines.append(f".SH {title}")
            lines += self.body(title, content)
        lines += [".SH SEE ALSO", ", ".join(f"\\fB{escaped(name)}\\fR(1)" for name in self.related)]
        return "\n".join(lines) + "\n"

    def body(self, title, content):
        if title == "SYNOPSIS":
            return [line for form in content for line in (f".B {escaped(form)}", ".br")][:-1]
        if title == "EXAMPLES":
            rows = [line.strip() for line in content if line.strip()]
            return [part for command, effect in zip(rows[::2], rows[1::2])
                    for part in (".TP", f".B {escaped(command)}", escaped(effect))]
        lines = []
        for line in content:
            row = re.match(r"  (\S.*?) {2,}(\S.*)$", line)
            if row:
                lines += [".TP", f".B {escaped(row.group(1))}", escaped(row.group(2))]
            else:
                lines.append(escaped(line.strip()) if line.strip() else ".PP")
        while lines and lines[0] == ".PP":
            lines.pop(0)
        while lines and lines[-1] == ".PP":
            lines.pop()
        return lines


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def normalize(*paths):
    """Makes bytes of program files equal that differ between builds of the same code.

    `.swift_modhash` has a hash for each module, with which the compiler avoids compiling it again. It has no use in a linked
    file, and is not the same in every build. The build ID is computed from the bytes again.
    """
    for path in paths:
        with open(path, "r+b") as file:
            content = bytearray(file.read())
            note = None
            for name, start, size in sections(content):
                if name == b".swift_modhash":
                    content[start:start + size] = bytes(size)
                elif name == b".note.gnu.build-id":
                    # After the header of the note, and its owner.
                    note = slice(start + 16, start + size)
                    content[note] = bytes(size - 16)
            if note is not None:
                digest = hashlib.sha1(content).digest()
                content[note] = digest[:note.stop - note.start].ljust(note.stop - note.start, b"\0")
            file.seek(0)
            file.write(content)


def sections(content):
    """The names, offsets and sizes of the sections of a 64-bit ELF file."""
    if content[:5] != b"\x7fELF\x02":
        return
    table, = struct.unpack_from("<Q", content, 0x28)
    size, count, names = struct.unpack_from("<HHH", content, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", content, table + size * index) for index in range(count)]
    for name, kind, _, _, offset, length in headers:
        start = headers[names][4] + name
        # Sections of zeros are not in the file.
        if kind != 8:
            yield bytes(content[start:content.index(0, start)]), offset, length


def licenses():
    with open(os.path.join(ROOT, "LICENSE"), encoding="utf-8") as file:
        own = file.read()
    print("Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: TensorIO\n\n"
          "Files: *\nCopyright: the authors of TensorIO for Swift\nLicense: Apache-2.0\n On Debian systems the text is in "
          "/usr/share/common-licenses/Apache-2.0.\n\n"
          "Files: usr/bin/tensorio usr/libexec/tensorio/tensorio-worker usr/lib/*\nCopyright: Apple Inc. and the Swift project "
          "authors\nLicense: Apache-2.0 with Runtime Library Exception\nComment: The standard libraries of Swift are linked "
          "statically.\n\n---\n")
    print(own)


def linked_packages(tree):
    """Debian's packages of the libraries that the program files are linked to."""
    files = [os.path.join(folder, name) for folder, _, names in os.walk(tree) for name in names
             if name in ("tensorio", "tensorio-worker", "libtensorio.so")
             and open(os.path.join(folder, name), "rb").read(4) == b"\x7fELF"]
    names = set()
    for path in files:
        names |= set(re.findall(r"\(NEEDED\).*\[(.+)\]", output_of("readelf", "-dW", path)))
    packages = {}
    for name in sorted(names):
        owners = owners_of(name)
        if not owners:
            sys.exit(f"error: no Debian package has the library {name}")
        packages.setdefault(owners[0], []).append(name)
    return packages


PACKAGES = os.environ.get("TENSORIO_DIST_PACKAGES")


def owners_of(library):
    """The packages that contain a library."""
    if PACKAGES is None:
        found = subprocess.run(["dpkg", "-S", f"*/{library}"], capture_output=True, text=True).stdout
        return sorted({line.partition(":")[0] for line in found.splitlines() if line.endswith("/" + library)})
    return sorted(package for package, path in package_files().items() if library in libraries_in(path))


@functools.cache
def package_files():
    """The package files in the folder of another architecture, by name."""
    return {os.path.basename(path).partition("_")[0]: path for path in sorted(glob.glob(os.path.join(PACKAGES, "*.deb")))}


@functools.cache
def libraries_in(path):
    names = re.findall(r"/([^/\s]+\.so[.\d]*)(?: -> .*)?$", output_of("dpkg-deb", "--contents", path), re.MULTILINE)
    return frozenset(names)


def version_of(package):
    if PACKAGES is not None:
        # Libraries whose time has 64 bits have another package name, and some are of a later version.
        known = [name for name in (package, package + "t64", package.replace("23", "26")) if name in package_files()]
        return output_of("dpkg-deb", "--field", package_files()[known[0]], "Version").strip() if known else ""
    return subprocess.run(["dpkg-query", "--show", "--showformat=${Version}", package], capture_output=True, text=True).stdout


def glibc_version(tree):
    """The highest version of the C library that a symbol needs."""
    versions = [(2, 34)]
    for folder, _, names in os.walk(tree):
        for name in names:
            if name in ("tensorio", "tensorio-worker", "libtensorio.so"):
                path = os.path.join(folder, name)
                if open(path, "rb").read(4) == b"\x7fELF":
                    found = re.findall(r"GLIBC_(\d+)\.(\d+)", output_of("readelf", "-VW", path))
                    versions += [(int(major), int(minor)) for major, minor in found]
                    # The loader supports packed relocations since 2.36.
                    if "RELR" in output_of("readelf", "-dW", path):
                        versions.append((2, 36))
    return "{}.{}".format(*max(versions))


def materials(version, tree):
    """Prints the bill of materials in CycloneDX's format."""
    epoch = int(os.environ["SOURCE_DATE_EPOCH"])
    commit = output_of("git", "-C", ROOT, "rev-parse", "HEAD").strip()
    swift = version_of("swiftlang") if PACKAGES else re.search(r"Swift version (\S+)", output_of("swift", "--version")).group(1)
    components = [
        component("swift-stdlib", swift, "Apache-2.0 WITH Swift-exception", "linked statically", "required")]
    for package, names in sorted(linked_packages(tree).items()):
        components.append(component(package, version_of(package), LINKED_LICENSES.get(package.removesuffix("t64"), "NOASSERTION"),
                                    "linked: " + ", ".join(names), "required", debian=True))
    for package, (name, license_name) in sorted(OPENED.items()):
        components.append(component(package, version_of(package), license_name, "opened on demand: " + name, "optional",
                                    debian=True))
    for name, license_name in RUNTIMES:
        components.append(component(name, "", license_name, "opened on demand, installed by the user", "optional"))
    json.dump({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "serialNumber": f"urn:uuid:{uuid.uuid5(HOMEPAGE_UUID, commit + str(epoch))}",
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch)),
            "component": {"type": "application", "bom-ref": "tensorio", "name": "tensorio", "version": version,
                          "description": SUMMARY, "licenses": [{"license": {"id": "Apache-2.0"}}],
                          "properties": [{"name": "commit", "value": commit}]},
        },
        "components": components,
        "dependencies": [{"ref": "tensorio", "dependsOn": [part["bom-ref"] for part in components]}],
    }, sys.stdout, indent=2)
    print()


def component(name, version, license_name, use, scope, debian=False):
    entry = {"type": "library", "bom-ref": name, "name": name, "scope": scope,
             "licenses": [{"expression": license_name}], "properties": [{"name": "use", "value": use}]}
    if version:
        entry["version"] = version
    if debian:
        entry["purl"] = f"pkg:deb/debian/{name}" + (f"@{version}" if version else "")
    return entry


def control(version, architecture, tree):
    packages = linked_packages(tree)
    depends = [f"libc6 (>= {glibc_version(tree)})"] + [ALTERNATIVES.get(name, name) for name in sorted(set(packages) - {"libc6"})]
    size = sum(os.lstat(os.path.join(folder, name)).st_size for folder, _, names in os.walk(os.path.join(tree, "usr"))
               for name in names)
    fields = {
        "Package": "tensorio", "Version": version, "Architecture": architecture, "Section": "science",
        "Priority": "optional", "Maintainer": "TensorIO for Swift <tensorio@localhost>",
        "Installed-Size": str((size + 1023) // 1024), "Depends": ", ".join(depends),
        "Recommends": ", ".join(ALTERNATIVES.get(name, name) for name in sorted(OPENED) + RECOMMENDED), "Suggests": ", ".join(SUGGESTED),
        "Description": SUMMARY,
    }
    for name, value in fields.items():
        print(f"{name}: {value}")
    print(" Models are bundles: folders with a model and a description of its inputs and\n outputs. The package contains the "
          "command tensorio, which also serves models\n over HTTP, and a library for C. `tensorio runtime install litert` "
          "installs a\n runtime.")


def main():
    commands = {"manual": manual, "normalize": normalize, "licenses": licenses, "materials": materials, "control": control}
    commands[sys.argv[1]](*sys.argv[2:])


main()
