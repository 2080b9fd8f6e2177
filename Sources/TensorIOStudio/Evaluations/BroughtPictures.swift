internal import Synchronization
internal import TensorIOData
internal import TensorIOImage
internal import TensorIOServer
internal import TensorIOSystem

/// Pictures that a person has brought to judge a model by: a folder for each label.
///
/// The folder is gone with the value.
final class BroughtPictures: Sendable {
  /// How much may be brought.
  struct Limits: Sendable {
    var pictures = 10_000
    var labels = 1000
    var bytes = 2 << 30
  }

  private struct Content {
    /// In small letters, since some systems take no notice of capitals.
    var names: Set<String> = []
    var labels: Set<String> = []
    var bytes = 0
  }

  private let folder: ScratchFolder
  private let limits: Limits
  private let content = Mutex(Content())

  init(_ limits: Limits = Limits()) throws(StudioRefusal) {
    self.limits = limits
    do throws(FileFault) {
      folder = try ScratchFolder("tensorio-studio")
    } catch {
      throw .noRoom(error)
    }
  }

  deinit { folder.remove() }

  /// Where the folder lies.
  var path: String { folder.path }

  /// How many pictures there are.
  var count: Int { content.withLock { $0.names.count } }

  /// Adds a picture.
  func add(_ path: ItemPath, _ bytes: [UInt8]) throws(StudioRefusal) {
    try check(bytes)
    guard PictureName.isOne(path.file) else {
      throw .misunderstood("'\(path.file)' does not end as the names of pictures do")
    }
    try reserve(path, bytes.count)
    do throws(FileFault) {
      if FileKind(at: "\(self.path)/\(path.label)") == nil {
        // Somebody else may make it at the same time.
        try? Folder.make("\(self.path)/\(path.label)")
      }
      try CompleteFile.write(bytes, to: "\(self.path)/\(path.text)")
    } catch {
      release(path, bytes.count)
      throw .noRoom(error)
    }
  }

  private func check(_ bytes: [UInt8]) throws(StudioRefusal) {
    do throws(ImageError) {
      let header = try ImageHeader(of: bytes)
      try ImageLimits.check(width: header.width, height: header.height)
    } catch {
      throw StudioRefusal(.unsupportedType, error.code, "\(error)")
    }
  }

  /// Takes the place of a picture among all, if there is room.
  private func reserve(_ path: ItemPath, _ bytes: Int) throws(StudioRefusal) {
    try content.withLock { (content) throws(StudioRefusal) in
      guard content.names.count < limits.pictures, content.bytes + bytes <= limits.bytes,
        content.labels.contains(path.label) || content.labels.count < limits.labels
      else { throw .tooMany(limits) }
      guard content.names.insert(path.text.lowercased()).inserted else {
        throw StudioRefusal(.conflict, "name-taken", "there is a '\(path.text)' already")
      }
      content.labels.insert(path.label)
      content.bytes += bytes
    }
  }

  private func release(_ path: ItemPath, _ bytes: Int) {
    content.withLock { content in
      content.names.remove(path.text.lowercased())
      content.bytes -= bytes
    }
  }
}

extension StudioRefusal {
  /// The machine does not take what is to be kept.
  static func noRoom(_ fault: FileFault) -> StudioRefusal {
    StudioRefusal(.failed, "unwritable", "the pictures cannot be kept: \(fault.problem)")
  }

  fileprivate static func tooMany(_ limits: BroughtPictures.Limits) -> StudioRefusal {
    StudioRefusal(
      .contentTooLarge, "too-many",
      "at most \(limits.pictures) pictures of \(limits.labels) labels with \(limits.bytes >> 20) MB"
        + " are judged at a time")
  }
}
