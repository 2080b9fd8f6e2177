import TensorIOBundle
import TensorIOImage
import TensorIOSystem

extension DatasetExporter {
  /// Copies all pictures into the folder `images` of a folder; returns their places in it.
  func copyImages(to folder: String) throws(ModelError) -> [String] {
    try FileWriting.at(folder) { () throws(FileError) in try FileSystem.createDirectory("\(folder)/images") }
    var names = UniqueFileName()
    var places: [String] = []
    for record in records {
      let place = "images/\(names.next(for: record.imagePath))"
      try copy(record.imagePath, to: "\(folder)/\(place)")
      places.append(place)
    }
    return places
  }

  /// Copies all pictures into a folder per label.
  func copyImagesByLabel(to folder: String) throws(ModelError) {
    var names: [Int: UniqueFileName] = [:]
    for record in records {
      let label = record.labelIndices[0]
      let place = "\(folder)/\(labels[label])"
      if names[label] == nil {
        try FileWriting.at(place) { () throws(FileError) in try FileSystem.createDirectory(place) }
      }
      let name = names[label, default: UniqueFileName()].next(for: record.imagePath)
      try copy(record.imagePath, to: "\(place)/\(name)")
    }
  }

  private func copy(_ picture: String, to target: String) throws(ModelError) {
    let bytes = try FileBytes.read(picture, limit: ImageLimits.maxFileBytes, stage: .input)
    try FileWriting.at(target) { () throws(FileError) in
      try AtomicFile.write(bytes, to: target)
    }
  }

  /// The size of a record's picture.
  func size(of record: ExportRecord) throws(ModelError) -> ImageSize {
    do throws(DataDiagnostic) {
      return try ImageHeaderCheck.header(of: record.imagePath).uprightSize
    } catch {
      throw ModelError(.input, .invalidData([error.diagnostic(path: record.imagePath)]))
    }
  }
}

extension DataPath {
  /// What a file in a folder calls another: its place there, else its whole path.
  static func relativePath(of path: String, from folder: String) -> String {
    guard let folder = FilePath.resolved(folder), let whole = FilePath.resolved(path) else {
      return path
    }
    let start = folder == "/" ? folder : folder + "/"
    return whole.hasPrefix(start) ? String(whole.dropFirst(start.count)) : whole
  }
}

/// Names of files that every system takes.
struct UniqueFileName {
  /// The bytes that a name may have, with room for what makes it unlike others.
  static let maxBytes = 200

  private var taken: Set<String> = []
  /// The number that a name had last that was given before.
  private var numbers: [String: Int] = [:]

  /// A name for the copy of a picture, unlike all that were given before, whatever their case.
  mutating func next(for path: String) -> String {
    let name = DataPath.lastComponent(of: path)
    let stem = Self.safe(DataPath.stem(of: name))
    let ending = name.hasFileExtension(in: ImageFolderFormat.imageExtensions) ? Self.ending(of: name) : ""
    let wanted = stem + ending
    var candidate = wanted
    while !taken.insert(candidate.lowercased()).inserted {
      let number = numbers[wanted.lowercased(), default: 1] + 1
      numbers[wanted.lowercased()] = number
      candidate = "\(stem)-\(number)\(ending)"
    }
    return candidate
  }

  private static func ending(of name: String) -> String {
    name.split(separator: ".").last.map { ".\($0)" } ?? ""
  }

  /// The text with `_` for all but letters, digits, `-`, `_` and dots inside.
  private static func safe(_ text: String) -> String {
    var safe = ""
    for letter in text {
      let isKept = letter.isLetter || letter.isNumber || "-_. ".contains(letter)
      let kept = isKept ? letter : "_"
      guard safe.utf8.count + kept.utf8.count <= maxBytes else { break }
      safe.append(kept)
    }
    safe = safe.trimmed
    return safe.isEmpty || safe.hasPrefix(".") ? "_" + safe.dropFirst() : safe
  }
}
