import TensorIOBundle
import TensorIOImage
import TensorIOSystem

extension DatasetExporter {
  /// Copies all images to the subfolder `images` of a folder and returns their relative paths.
  func copyImages(to folder: String) throws(ModelError) -> [String] {
    try FileWriting.at(folder) { () throws(FileError) in
      try FileSystem.createDirectory("\(folder)/images")
    }
    var names = UniqueFileName()
    var paths: [String] = []
    for record in records {
      let path = "images/\(names.next(for: record.imagePath))"
      try copy(record.imagePath, to: "\(folder)/\(path)")
      paths.append(path)
    }
    return paths
  }

  /// Copies all images to one subfolder per label.
  func copyImagesByLabel(to folder: String) throws(ModelError) {
    var names: [Int: UniqueFileName] = [:]
    for record in records {
      let label = record.labelIndices[0]
      let labelFolder = "\(folder)/\(labels[label])"
      if names[label] == nil {
        try FileWriting.at(labelFolder) { () throws(FileError) in
          try FileSystem.createDirectory(labelFolder)
        }
      }
      let name = names[label, default: UniqueFileName()].next(for: record.imagePath)
      try copy(record.imagePath, to: "\(labelFolder)/\(name)")
    }
  }

  private func copy(_ image: String, to target: String) throws(ModelError) {
    let bytes = try FileBytes.read(image, limit: ImageLimits.maxFileBytes, stage: .input)
    try FileWriting.at(target) { () throws(FileError) in
      try AtomicFile.write(bytes, to: target, isDurable: false)
    }
  }

  /// Returns the size of a record's upright image.
  func size(of record: ExportRecord) throws(ModelError) -> ImageSize {
    do throws(DataDiagnostic) {
      return try ImageHeaderCheck.header(of: record.imagePath).uprightSize
    } catch {
      throw ModelError(.input, .invalidData([error.diagnostic(path: record.imagePath)]))
    }
  }
}

extension DataPath {
  /// Returns a path relative to a folder that contains it, otherwise the absolute path.
  static func relativePath(of path: String, from folder: String) -> String {
    guard let folder = FilePath.resolved(folder), let absolute = FilePath.resolved(path) else {
      return path
    }
    let prefix = folder == "/" ? folder : folder + "/"
    return absolute.hasPrefix(prefix) ? String(absolute.dropFirst(prefix.count)) : absolute
  }
}

/// Generates portable file names that are unique regardless of case.
struct UniqueFileName {
  /// The maximum length of a name in bytes, which leaves space for a numeric suffix.
  static let maxBytes = 200

  private var taken: Set<String> = []
  /// The last suffix used for a name.
  private var numbers: [String: Int] = [:]

  /// Returns a name for the copy of an image that differs from all previous names.
  mutating func next(for path: String) -> String {
    let name = FilePath.lastComponent(of: path)
    let stem = Self.safe(FilePath.stem(of: name))
    let fileExtension = ImageFileName.isImage(name) ? Self.fileExtension(of: name) : ""
    let preferred = stem + fileExtension
    var candidate = preferred
    while !taken.insert(candidate.lowercased()).inserted {
      let number = numbers[preferred.lowercased(), default: 1] + 1
      numbers[preferred.lowercased()] = number
      candidate = "\(stem)-\(number)\(fileExtension)"
    }
    return candidate
  }

  private static func fileExtension(of name: String) -> String {
    name.split(separator: ".").last.map { ".\($0)" } ?? ""
  }

  /// Returns the text with `_` in place of all but letters, digits, spaces, `-`, `_` and inner
  /// dots.
  private static func safe(_ text: String) -> String {
    var safe = ""
    for character in text {
      let isAllowed = character.isLetter || character.isNumber || "-_. ".contains(character)
      let replacement = isAllowed ? character : "_"
      guard safe.utf8.count + replacement.utf8.count <= maxBytes else { break }
      safe.append(replacement)
    }
    safe = safe.trimmed
    return safe.isEmpty || safe.hasPrefix(".") ? "_" + safe.dropFirst() : safe
  }
}
