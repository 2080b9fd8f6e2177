#!/usr/bin/env python3
"""Scripts/check/parts/arm64/swift_6_2.py TARGET [--tests]: copies the project, changed so that Debian's Swift 6.2 compiles it.

`--check` only verifies that the texts that are replaced exist. With `--tests` the copy has no products and no plugin, whose program would have to run on this machine. The tests of the
plugin are left out.

The project requires Swift 6.3. The only compiler in Debian with libraries for arm64 is 6.2, which differs in these
points, so that a copy for it is derived by rules until Debian has 6.3:

* It does not infer the lifetimes of `inout` spans: `@_lifetime(x: copy x)` is added.
* It has no attribute `@c`: `@_cdecl` replaces it.
* `Array` cannot be initialized or extended through an `OutputSpan`: the modules that do so get a file with an extension.
* It disagrees about which expressions are unsafe: warnings are no errors.
* Closures of exit tests cannot capture values: tests with such closures are left out.
* It reports further differences as errors: REPLACEMENTS lists them.

Files that have not changed keep their time, so that a second build is incremental.
"""

import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../lib"))
from project_files import ROOT, project_files  # noqa: E402

RECORDS = "Sources/Bindings/Command/Output/RecordWriter.swift"
VALIDATOR = "Sources/Bundles/Core/Validation/SignatureValidator.swift"

# File, text, and text for Swift 6.2. A text that is missing is an error, so that the list stays current.
REPLACEMENTS = [
    ("Package.swift", "// swift-tools-version: 6.3", "// swift-tools-version: 6.2"),
    ("Package.swift", "  .treatAllWarnings(as: .error),\n",
     '  .enableExperimentalFeature("Lifetimes"),\n'),
    # Too complex for its type checker.
    (VALIDATOR, "    countDiagnostics + orderDiagnostics + stateDiagnostics + embeddingDiagnostics\n      + zip(",
     "    var all = countDiagnostics + orderDiagnostics + stateDiagnostics + embeddingDiagnostics\n    all += zip("),
    (VALIDATOR, "      + zip(description.outputs", "    all += zip(description.outputs"),
    (VALIDATOR, "      + zip(description.placeholders", "    all += zip(description.placeholders"),
    (VALIDATOR, ".placeholder(index), description.isQuantized).diagnostics\n      }\n",
     ".placeholder(index), description.isQuantized).diagnostics\n      }\n    return all\n"),
    (RECORDS, "      lines =\n        [record.input", "      var made: [String] =\n        [record.input"),
    (RECORDS, "        + (success.taskResult?", "      made += (success.taskResult?"),
    (RECORDS, "        + success.output.layers", "      made += success.output.layers"),
    (RECORDS, "        + (success.isEmpty", "      made += (success.isEmpty"),
    (RECORDS, "        + success.notes", "      made += success.notes"),
    (RECORDS, "        + [success.annotatedImagePath", "      made += [success.annotatedImagePath"),
    (RECORDS, "        + [success.cutOutPath", "      made += [success.cutOutPath"),
    (RECORDS, "        + [Self.timings(success.timings)]\n",
     "      made += [Self.timings(success.timings)]\n      lines = made\n"),
    # Initializers that call mutating methods take constants for uninitialized.
    ("Sources/Runtimes/LiteRT/Interop/CustomOperatorKernel.swift",
     "  private let functions: UnsafePointer<CLiteRTTable>\n\n  init(\n    _ buffers",
     "  private var functions: UnsafePointer<CLiteRTTable>\n\n  init(\n    _ buffers"),
    ("Sources/Tools/Drawing/Interop/CairoSurface.swift",
     "  let width: Int\n  let height: Int\n  let library: DrawingLibrary\n"
     "  private let surface: OpaquePointer\n  private let context: OpaquePointer\n",
     "  private(set) var width: Int\n  private(set) var height: Int\n  private(set) var library: DrawingLibrary\n"
     "  private var surface: OpaquePointer\n  private var context: OpaquePointer\n"),
]

# Calls of initializers of `Array` that 6.2 lacks, and what is added to modules with such calls. Appending copies the new
# elements once more than the standard library of 6.3 does.
ARRAYS = re.compile(r"\]\(capacity:|\.append\(addingCapacity:")
ARRAY_EXTENSION = """extension Array {
  init<Failure: Error>(
    capacity: Int, initializingWith initialize: (inout OutputSpan<Element>) throws(Failure) -> Void
  ) throws(Failure) {
    var failure: Failure?
    unsafe self.init(unsafeUninitializedCapacity: capacity) { memory, count in
      var elements = unsafe OutputSpan(buffer: memory, initializedCount: 0)
      do throws(Failure) { try initialize(&elements) } catch { failure = error }
      unsafe count = elements.finalize(for: memory)
    }
    if let failure { throw failure }
  }

  mutating func append<Failure: Error>(
    addingCapacity capacity: Int, initializingWith initialize: (inout OutputSpan<Element>) throws(Failure) -> Void
  ) throws(Failure) {
    append(contentsOf: try Self(capacity: capacity, initializingWith: initialize))
  }
}
"""

# What is added to Package.swift so that only tests are built.
TESTS_ONLY = """
package.products = []
package.targets.removeAll { $0.type == .plugin || $0.name == "TensorIOTypedModelsTests" }
"""

FUNCTION = re.compile(
    r"^([ \t]*)(?:(?:public|package|private|fileprivate|internal|static|mutating|borrowing|consuming)\s+)*"
    r"(?:func\s|init[(<])", re.MULTILINE)
INOUT_SPAN = re.compile(r"(\w+):\s*inout\s+(?:Mutable|Output)(?:Raw)?Span\b")
SPAN_EXTENSION = re.compile(r"^extension (?:Mutable|Output)(?:Raw)?Span\b.*?^}", re.MULTILINE | re.DOTALL)
C_FUNCTION = re.compile(r"^@c\((\w+)\)", re.MULTILINE)
# One test function, in the layout of Scripts/lint/swift, whose exit test captures values.
CAPTURING_TEST = re.compile(
    r"^  @Test\b(?:(?!^  \}$)[^\n]*\n)*?[^\n]*processExitsWith(?:(?!^  \}$)[^\n]*\n)*?[^\n]*\{ \[\w+ = "
    r"(?:(?!^  \}$)[^\n]*\n)*?^  \}$", re.MULTILINE)
MUTATING = re.compile(r"^([ \t]*)((?:\w+ )*mutating func)", re.MULTILINE)


def parameters(text, start):
    """Returns the text of the parameter list after `start`, without nested parentheses."""
    position = text.index("(", start)
    depth, found = 0, []
    for character in text[position:]:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0:
            return "".join(found)
        if depth == 1 and character not in "()":
            found.append(character)
    return "".join(found)


def with_lifetimes(text):
    text = SPAN_EXTENSION.sub(
        lambda block: MUTATING.sub(r"\1@_lifetime(self: copy self)\n\1\2", block.group()), text)
    changed, position = [], 0
    for function in FUNCTION.finditer(text):
        names = INOUT_SPAN.findall(parameters(text, function.start()))
        changed.append(text[position:function.start()])
        changed += [f"{function.group(1)}@_lifetime({name}: copy {name})\n" for name in names]
        position = function.start()
    return "".join(changed) + text[position:]


def write_changed(path, content):
    try:
        with open(path, "rb") as file:
            if file.read() == content:
                return
    except OSError:
        pass
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)


def check():
    for name, old, _ in REPLACEMENTS:
        with open(os.path.join(ROOT, name), encoding="utf-8") as file:
            if old not in file.read():
                sys.exit(f"error: {name} lacks the text that {os.path.relpath(__file__, ROOT)} replaces: {old!r}")


def main():
    target = sys.argv[1]
    check()
    if target == "--check":
        return
    names = [name for name in project_files(ROOT)
             if name == "Package.swift" or name.startswith(("Sources/", "Plugins/", "Tests/"))]
    extended = set()
    for name in names:
        source = os.path.join(ROOT, name)
        path = os.path.join(target, name)
        with open(source, "rb") as file:
            content = file.read()
        if name.endswith(".swift"):
            text = content.decode()
            for file_name, old, new in REPLACEMENTS:
                if file_name == name:
                    text = text.replace(old, new)
            if name.startswith("Sources/") and ARRAYS.search(text):
                extended.add(os.path.join(*name.split("/")[:3], "ArrayExtension.swift"))
            if name.startswith("Tests/"):
                text = CAPTURING_TEST.sub("", text)
            text = C_FUNCTION.sub(r'@_cdecl("\1")', text)
            if name == "Package.swift" and sys.argv[2:] == ["--tests"]:
                text += TESTS_ONLY
            content = with_lifetimes(text).encode()
        write_changed(path, content)
        os.chmod(path, os.stat(source).st_mode & 0o777)
    for name in extended:
        write_changed(os.path.join(target, name), ARRAY_EXTENSION.encode())
    # Files that have been removed from the project.
    expected = extended.union(names)
    for folder, folders, files in os.walk(target):
        folders[:] = [each for each in folders if not each.startswith(".")]
        for each in files:
            path = os.path.join(folder, each)
            if os.path.relpath(path, target) not in expected:
                os.remove(path)


if __name__ == "__main__":
    main()
