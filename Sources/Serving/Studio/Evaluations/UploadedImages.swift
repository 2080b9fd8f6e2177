import Synchronization
import TensorIOData
import TensorIOImage
import TensorIOServer
import TensorIOSystem

/// Uploaded images in a temporary folder: with one subfolder per label, or in subfolders and with a file of annotations.
///
/// The folder is removed on deinitialization.
final class UploadedImages: Sendable {
  /// Limits on an upload.
  struct Limits: Sendable {
    var maxImages = 10_000
    var maxLabels = 1000
    var maxBytes = 2 << 30
  }

  private struct Content {
    /// Lowercase relative paths, because some file systems are case-insensitive.
    var names: Set<String> = []
    /// The number of images of each label.
    var labels: [String: Int] = [:]
    var bytes = 0
    /// The file of annotations and the images to which it refers, if there is one.
    var annotations: (file: AnnotationFile, imagePaths: [String])?
    var lastChange = ContinuousClock.now
  }

  private let folder: TemporaryDirectory
  private let limits: Limits
  private let contents = Mutex(Content())

  init(_ limits: Limits = Limits()) throws(ClientError) {
    self.limits = limits
    do throws(FileError) {
      folder = try TemporaryDirectory(prefix: "tensorio-studio")
    } catch {
      throw .writeFailed(error)
    }
  }

  deinit { folder.remove() }

  /// The path of the folder.
  var path: String { folder.path }

  /// The path that an evaluation reads: the table, or else the folder.
  var dataPath: String {
    contents.withLock { $0.annotations?.file } == .table
      ? "\(path)/\(AnnotationFile.table.rawValue)" : path
  }

  /// An image to which the annotations refer and that is not in the folder.
  var missingImage: String? {
    contents.withLock { content in
      content.annotations?.imagePaths.first { !content.names.contains($0.lowercased()) }
    }
  }

  /// Whether nothing has been uploaded that could be evaluated.
  var isEmpty: Bool { contents.withLock { $0.names.isEmpty && $0.annotations?.file != .table } }

  /// The number of images.
  var count: Int { contents.withLock { $0.names.count } }

  /// The time since the last image was added.
  var idleTime: Duration { contents.withLock { $0.lastChange.duration(to: .now) } }

  /// Adds an image.
  func add(_ path: UploadPath, _ bytes: [UInt8]) throws(ClientError) {
    try validate(bytes)
    guard ImageFileName.isImage(path.file) else {
      throw .badRequest("'\(path.file)' does not have the extension of an image format")
    }
    try reserve(path, bytes.count)
    do throws(FileError) {
      if FileKind(at: "\(self.path)/\(path.label)") == nil {
        // Another request may create it at the same time.
        try? FileSystem.createDirectory("\(self.path)/\(path.label)")
      }
      try AtomicFile.write(bytes, to: "\(self.path)/\(path.text)", isDurable: false)
    } catch {
      release(path, bytes.count)
      throw .writeFailed(error)
    }
  }

  /// Adds the file of annotations, which refers to images at the given paths.
  func add(
    _ file: AnnotationFile, _ bytes: [UInt8], imagePaths: [String]
  ) throws(ClientError) {
    try contents.withLock { (content) throws(ClientError) in
      guard content.bytes + bytes.count <= limits.maxBytes else {
        throw .uploadLimitExceeded(limits)
      }
      guard content.annotations == nil else {
        throw ClientError(.conflict, "duplicate-file", "the annotations have already been uploaded")
      }
      content.annotations = (file, imagePaths)
      content.bytes += bytes.count
      content.lastChange = .now
    }
    do throws(FileError) {
      try AtomicFile.write(bytes, to: "\(path)/\(file.rawValue)", isDurable: false)
    } catch {
      contents.withLock { content in
        content.annotations = nil
        content.bytes -= bytes.count
      }
      throw .writeFailed(error)
    }
  }

  private func validate(_ bytes: [UInt8]) throws(ClientError) {
    do throws(ImageError) {
      let header = try ImageHeader(of: bytes)
      try ImageLimits.validate(width: header.width, height: header.height)
    } catch {
      throw ClientError(.unsupportedMediaType, error.code, "\(error)")
    }
  }

  /// Reserves an image's path and size, if the limits permit it.
  private func reserve(_ path: UploadPath, _ bytes: Int) throws(ClientError) {
    try contents.withLock { (content) throws(ClientError) in
      guard content.names.count < limits.maxImages, content.bytes + bytes <= limits.maxBytes,
        content.labels[path.label] != nil || content.labels.count < limits.maxLabels
      else { throw .uploadLimitExceeded(limits) }
      guard content.names.insert(path.text.lowercased()).inserted else {
        throw ClientError(.conflict, "duplicate-file", "'\(path.text)' already exists")
      }
      content.labels[path.label, default: 0] += 1
      content.bytes += bytes
      content.lastChange = .now
    }
  }

  private func release(_ path: UploadPath, _ bytes: Int) {
    contents.withLock { content in
      content.names.remove(path.text.lowercased())
      let count = content.labels[path.label, default: 1] - 1
      content.labels[path.label] = count == 0 ? nil : count
      content.bytes -= bytes
    }
  }
}

extension ClientError {
  /// The images cannot be stored.
  static func writeFailed(_ error: FileError) -> ClientError {
    ClientError(
      .internalServerError, "unwritable", "the images cannot be stored: \(error.message)")
  }

  fileprivate static func uploadLimitExceeded(_ limits: UploadedImages.Limits) -> ClientError {
    ClientError(
      .contentTooLarge, "upload-limit-exceeded",
      "an evaluation is limited to \(limits.maxImages) images, \(limits.maxLabels) labels and "
        + "\(limits.maxBytes >> 20) MB")
  }
}

/// The relative path of an uploaded image: a label and a file name.
struct UploadPath: Sendable, Hashable {
  let label: String
  let file: String

  /// The path as text.
  var text: String { "\(label)/\(file)" }

  private static let maxNameBytes = 200

  /// Parses a path such as `cat/7.jpg`; `nil` if it has another form.
  init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, parts.allSatisfy(Self.isValidName) else { return nil }
    (label, file) = (parts[0], parts[1])
  }

  /// Whether a name is valid and visible on all supported file systems.
  private static func isValidName(_ name: String) -> Bool {
    !name.isEmpty && !name.hasPrefix(".") && name.utf8.count <= maxNameBytes
      && name.unicodeScalars.allSatisfy {
        $0.properties.generalCategory != .control && $0 != "\\" && $0 != ":"
      }
  }
}
