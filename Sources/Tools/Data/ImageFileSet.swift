import TensorIOSystem

/// The image files in a folder or matching a glob pattern, in byte order of their names.
package struct ImageFileSet {
  /// The file extensions of images, in lower case.
  package static let pathExtensions: Set<String> = [
    "jpg", "jpeg", "png", "webp", "bmp", "ppm", "pgm", "pnm",
  ]

  package let paths: [String]

  /// Creates the set for a folder or a pattern; `nil` if the argument is neither.
  package init?(_ argument: String) {
    if let kind = FileKind(at: argument) {
      guard kind == .directory else { return nil }
      paths = Self.imagePaths(in: argument)
    } else if argument.contains(where: { "*?[".contains($0) }) {
      paths = Glob.paths(matching: argument).sortedByBytes
    } else {
      return nil
    }
  }

  private static func imagePaths(in folder: String) -> [String] {
    let names = ((try? FileSystem.entryNames(in: folder)) ?? []).filter { name in
      let pathExtension = name.split(separator: ".").last.map { $0.lowercased() }
      return !name.hasPrefix(".") && pathExtensions.contains(pathExtension ?? "")
    }
    let prefix = folder.hasSuffix("/") ? folder : folder + "/"
    return names.map { prefix + $0 }
  }
}

extension [String] {
  /// The strings sorted by their UTF-8 bytes.
  package var sortedByBytes: [String] {
    sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
