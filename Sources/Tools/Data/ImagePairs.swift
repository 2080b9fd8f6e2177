public import TensorIOBundle
import TensorIOSystem

/// Pairs of images of the same or of different identities, for face verification and the like.
///
/// The file has a pair per line, in the form of LFW's `pairs.txt`, whose images are
/// `NAME/NAME_0001.jpg` in the folder of the file, or with two paths and 1 for the same identity:
///
/// ```
/// Ada_Lovelace 1 4
/// Ada_Lovelace 2 Grace_Hopper 1
/// photos/a.png photos/b.png 0
/// ```
///
/// A line with counts only, which begins LFW's files, is skipped.
public struct ImagePairs: IndexedDataset {
  /// Two images by index, and whether they show the same identity.
  public struct Pair: Sendable, Hashable {
    /// The index of the first image.
    public let first: Int
    /// The index of the second image.
    public let second: Int
    /// Whether both images show the same identity.
    public let isSameIdentity: Bool
  }

  /// The path of the file.
  public let path: String
  /// The pairs.
  public private(set) var pairs: [Pair] = []
  /// Always empty, because the identities have no labels.
  public var labels: [String] { [] }
  /// Always empty, because a file with an error cannot be opened.
  public var errors: [Diagnostic] { [] }
  /// What was skipped while reading.
  public let warnings: [Diagnostic]

  /// The images, as paths relative to the folder of the file.
  private var images: [String] = []

  /// Opens a file with pairs.
  ///
  /// - Throws: `ModelError` if a line is invalid or an image cannot be read.
  public init(at path: String) throws(ModelError) { try self.init(at: path, checkingImages: true) }

  /// Opens a file whose images can be checked when they are read, so that an unreadable one is an
  /// error of that image only.
  package init(at path: String, checkingImages: Bool) throws(ModelError) {
    self.path = path
    var log = DataDiagnosticLog()
    do throws(ModelError) {
      let bytes = try FileBytes.read(path, limit: ExampleDataset.maxTextBytes, .any, stage: .input)
      var indexes: [String: Int] = [:]
      var names: [String] = []
      let folder = path.parentDirectory
      for (number, line) in bytes.split(
        separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
      ).enumerated() {
        let fields = Self.fields(of: line)
        guard !fields.isEmpty, !fields.allSatisfy({ Int($0) != nil }) else { continue }
        guard let (first, second, isSame) = Self.pair(fields, in: folder) else {
          log.add(.invalidPair(fields.joined(separator: " ")), path: "", line: number + 1)
          continue
        }
        for image in [first, second] where indexes[image] == nil {
          indexes[image] = names.count
          names.append(image)
        }
        let found = [first, second].compactMap { indexes[$0] }
        pairs.append(Pair(first: found[0], second: found[1], isSameIdentity: isSame))
      }
      images = names
      for image in names where checkingImages && !log.isErrorLimitReached {
        if let diagnostic = ImageHeaderCheck.diagnostic(for: DataPath.resolve(image, in: folder)) {
          log.add(diagnostic, path: image)
        }
      }
      if pairs.isEmpty { log.addEmptyDataError() }
      try log.throwIfAny()
    } catch {
      throw error.in(file: path)
    }
    warnings = log.warnings
  }

  /// Returns the fields of a line, which are separated by tabs, or else by spaces.
  private static func fields(of line: ArraySlice<UInt8>) -> [String] {
    let text = String(decoding: line, as: UTF8.self).trimmed
    let separator: Character = text.contains("\t") ? "\t" : " "
    return text.split(separator: separator).map { String($0).trimmed }
  }

  private static func pair(
    _ fields: [String], in folder: String
  ) -> (first: String, second: String, isSame: Bool)? {
    switch fields.count {
    case 3:
      if let first = Int(fields[1]), let second = Int(fields[2]) {
        return (
          image(first, of: fields[0], in: folder), image(second, of: fields[0], in: folder), true
        )
      }
      guard ["0", "1"].contains(fields[2]) else { return nil }
      return (fields[0], fields[1], fields[2] == "1")
    case 4:
      guard let first = Int(fields[1]), let second = Int(fields[3]) else { return nil }
      return (
        image(first, of: fields[0], in: folder), image(second, of: fields[2], in: folder), false
      )
    default: return nil
    }
  }

  /// Returns the path of a numbered image of a person, with the extension of an existing file.
  private static func image(_ number: Int, of name: String, in folder: String) -> String {
    let digits = String(number)
    let padded = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    let candidates = ["jpg", "png", "jpeg"].map { "\(name)/\(name)_\(padded).\($0)" }
    return candidates.first { FileKind(at: "\(folder)/\($0)") == .file } ?? candidates[0]
  }
}

// MARK: Items

extension ImagePairs {
  /// The number of images.
  public var count: Int { images.count }

  /// Returns the name of an image.
  public func name(at index: Int) -> String { images[index] }

  /// Returns the path of an image.
  public func imagePath(at index: Int) -> String {
    DataPath.resolve(images[index], in: path.parentDirectory)
  }

  /// Reads the file of an image.
  public func imageBytes(at index: Int) throws(ModelError) -> [UInt8] {
    try readImage(imagePath(at: index), of: index)
  }

  /// Returns an empty array, because the identities have no labels.
  public func labelIndices(at index: Int) -> [Int] { [] }

  /// Returns `nil`, because images are not assigned to splits.
  public func split(at index: Int) -> DatasetSplit? { nil }

  /// Returns `nil`, because a file with an error cannot be opened.
  public func error(at index: Int) -> Diagnostic? { nil }

  /// Returns the images at some indices, in that order, and the pairs of these images.
  public func selecting(_ indexes: [Int]) -> ImagePairs {
    var subset = self
    subset.images = indexes.map { images[$0] }
    let positions = Dictionary(
      indexes.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    subset.pairs = pairs.compactMap { pair in
      guard let first = positions[pair.first], let second = positions[pair.second] else {
        return nil
      }
      return Pair(first: first, second: second, isSameIdentity: pair.isSameIdentity)
    }
    return subset
  }
}
