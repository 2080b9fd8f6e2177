import Synchronization
import TensorIOData
import TensorIOImage
import TensorIOServer
import TensorIOSystem

/// Pictures that a person has brought to judge a model by: a folder for each label.
///
/// The folder is gone with the value.
final class UploadedImages: Sendable {
  /// How much may be brought.
  struct Limits: Sendable {
    var maxImages = 10_000
    var maxLabels = 1000
    var maxBytes = 2 << 30
  }

  private struct Content {
    /// In small letters, since some systems take no notice of capitals.
    var names: Set<String> = []
    var labels: Set<String> = []
    var bytes = 0
  }

  private let folder: TemporaryDirectory
  private let limits: Limits
  private let contents = Mutex(Content())

  init(_ limits: Limits = Limits()) throws(StudioError) {
    self.limits = limits
    do throws(FileError) {
      folder = try TemporaryDirectory(prefix: "tensorio-studio")
    } catch {
      throw .writeFailed(error)
    }
  }

  deinit { folder.remove() }

  /// Where the folder lies.
  var path: String { folder.path }

  /// How many pictures there are.
  var count: Int { contents.withLock { $0.names.count } }

  /// Adds a picture.
  func add(_ path: UploadPath, _ bytes: [UInt8]) throws(StudioError) {
    try validate(bytes)
    guard ImageFileName.isImage(path.file) else {
      throw .badRequest("'\(path.file)' does not end as the names of pictures do")
    }
    try reserve(path, bytes.count)
    do throws(FileError) {
      if FileKind(at: "\(self.path)/\(path.label)") == nil {
        // Somebody else may make it at the same time.
        try? FileSystem.createDirectory("\(self.path)/\(path.label)")
      }
      try AtomicFile.write(bytes, to: "\(self.path)/\(path.text)")
    } catch {
      release(path, bytes.count)
      throw .writeFailed(error)
    }
  }

  private func validate(_ bytes: [UInt8]) throws(StudioError) {
    do throws(ImageError) {
      let header = try ImageHeader(of: bytes)
      try ImageLimits.validate(width: header.width, height: header.height)
    } catch {
      throw StudioError(.unsupportedMediaType, error.code, "\(error)")
    }
  }

  /// Takes the place of a picture among all, if there is room.
  private func reserve(_ path: UploadPath, _ bytes: Int) throws(StudioError) {
    try contents.withLock { (content) throws(StudioError) in
      guard content.names.count < limits.maxImages, content.bytes + bytes <= limits.maxBytes,
        content.labels.contains(path.label) || content.labels.count < limits.maxLabels
      else { throw .uploadLimitExceeded(limits) }
      guard content.names.insert(path.text.lowercased()).inserted else {
        throw StudioError(.conflict, "name-taken", "there is a '\(path.text)' already")
      }
      content.labels.insert(path.label)
      content.bytes += bytes
    }
  }

  private func release(_ path: UploadPath, _ bytes: Int) {
    contents.withLock { content in
      content.names.remove(path.text.lowercased())
      content.bytes -= bytes
    }
  }
}

extension StudioError {
  /// The machine does not take what is to be kept.
  static func writeFailed(_ fault: FileError) -> StudioError {
    StudioError(.internalServerError, "unwritable", "the pictures cannot be kept: \(fault.message)")
  }

  fileprivate static func uploadLimitExceeded(_ limits: UploadedImages.Limits) -> StudioError {
    StudioError(
      .contentTooLarge, "too-many",
      "at most \(limits.maxImages) pictures of \(limits.maxLabels) labels with \(limits.maxBytes >> 20) MB"
        + " are judged at a time")
  }
}

/// Where a picture that is brought lies: in the folder of its label, under its own name.
struct UploadPath: Sendable, Hashable {
  let label: String
  let file: String

  /// What it is called in the data.
  var text: String { "\(label)/\(file)" }

  private static let maxNameBytes = 200

  /// The place that a text such as `cat/7.jpg` names; `nil` for all that is not exactly that.
  init?(_ text: String) {
    let words = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard words.count == 2, words.allSatisfy(Self.isValidName) else { return nil }
    (label, file) = (words[0], words[1])
  }

  /// Whether a word can be the name of a file on any system, and is hidden on none.
  private static func isValidName(_ word: String) -> Bool {
    !word.isEmpty && !word.hasPrefix(".") && word.utf8.count <= maxNameBytes
      && word.unicodeScalars.allSatisfy {
        $0.properties.generalCategory != .control && $0 != "\\" && $0 != ":"
      }
  }
}
