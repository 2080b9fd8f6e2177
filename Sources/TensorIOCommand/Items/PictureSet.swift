internal import TensorIOCore
internal import TensorIOSystem

/// The pictures that a folder holds or a pattern matches, in byte order of their names.
struct PictureSet {
  /// The endings by which a folder's pictures are told from its other files.
  static let endings: Set<String> = [
    "jpg", "jpeg", "png", "webp", "bmp", "ppm", "pgm", "pnm",
  ]

  let paths: [String]

  /// The set that a word names, or `nil` when it is neither a folder nor a pattern.
  init?(_ word: String) {
    if let kind = FileKind(at: word) {
      guard kind == .folder else { return nil }
      paths = Self.pictures(in: word)
    } else if word.contains(where: { "*?[".contains($0) }) {
      paths = FilePattern.matches(of: word).sortedByBytes
    } else {
      return nil
    }
  }

  private static func pictures(in folder: String) -> [String] {
    let pictures = ((try? Folder.names(in: folder)) ?? []).filter { name in
      let ending = name.split(separator: ".").last.map { $0.lowercased() }
      return !name.hasPrefix(".") && endings.contains(ending ?? "")
    }
    let prefix = folder.hasSuffix("/") ? folder : folder + "/"
    return pictures.map { prefix + $0 }
  }
}

extension [String] {
  /// The strings in the order of their bytes.
  var sortedByBytes: [String] {
    sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
