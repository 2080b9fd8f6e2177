import TensorIOSystem

/// The pictures that a folder holds or a pattern matches, in byte order of their names.
package struct ImageFileSet {
  /// The endings by which a folder's pictures are told from its other files.
  static let pathExtensions: Set<String> = [
    "jpg", "jpeg", "png", "webp", "bmp", "ppm", "pgm", "pnm",
  ]

  package let paths: [String]

  /// The set that a word names, or `nil` when it is neither a folder nor a pattern.
  package init?(_ word: String) {
    if let kind = FileKind(at: word) {
      guard kind == .directory else { return nil }
      paths = Self.imagePaths(in: word)
    } else if word.contains(where: { "*?[".contains($0) }) {
      paths = Glob.paths(matching: word).sortedByBytes
    } else {
      return nil
    }
  }

  private static func imagePaths(in folder: String) -> [String] {
    let pictures = ((try? FileSystem.entryNames(in: folder)) ?? []).filter { name in
      let ending = name.split(separator: ".").last.map { $0.lowercased() }
      return !name.hasPrefix(".") && pathExtensions.contains(ending ?? "")
    }
    let prefix = folder.hasSuffix("/") ? folder : folder + "/"
    return pictures.map { prefix + $0 }
  }
}

extension [String] {
  /// The strings in the order of their bytes.
  package var sortedByBytes: [String] {
    sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
