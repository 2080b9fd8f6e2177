import Synchronization
import TensorIOSystem

/// The frames of a video and their results, in files of a folder.
final class FrameStore: Sendable {
  /// The maximum size of the files.
  struct Limits: Sendable {
    var maxFrames = 20_000
    var maxBytes = 2 << 30
    /// The maximum size of all lines, which are sent in one response.
    var maxLineBytes = 64 << 20
  }

  private struct Ends {
    var images: [Int] = []
    var records: [Int] = []
    var lines = 0

    var byteCount: Int { (images.last ?? 0) + (records.last ?? 0) + lines }
  }

  private let folder: String
  private let limits: Limits
  private let imageFile: WritableFile
  private let recordFile: WritableFile
  private let lineFile: WritableFile
  private let ends = Mutex(Ends())

  /// Creates the files in an empty folder.
  init(in folder: String, _ limits: Limits) throws(FileError) {
    (self.folder, self.limits) = (folder, limits)
    imageFile = try WritableFile(creating: "\(folder)/\(Self.imageName)", isPrivate: true)
    recordFile = try WritableFile(creating: "\(folder)/\(Self.recordName)", isPrivate: true)
    lineFile = try WritableFile(creating: "\(folder)/\(Self.lineName)", isPrivate: true)
  }

  private static let imageName = "images"
  private static let recordName = "records"
  private static let lineName = "lines"

  /// The number of frames.
  var count: Int { ends.withLock { $0.records.count } }

  /// Adds a frame, for one thread at a time; returns false if the limits do not permit it.
  func append(_ frame: ProcessedFrame) throws(FileError) -> Bool {
    let ends = ends.withLock(\.self)
    let byteCount = frame.image.count + frame.record.count + frame.line.count
    guard ends.records.count < limits.maxFrames, ends.byteCount + byteCount <= limits.maxBytes,
      ends.lines + frame.line.count <= limits.maxLineBytes
    else { return false }
    let (image, record) = (ends.images.last ?? 0, ends.records.last ?? 0)
    try imageFile.write(frame.image, at: image)
    try recordFile.write(frame.record, at: record)
    try lineFile.write(frame.line, at: ends.lines)
    self.ends.withLock { ends in
      ends.images.append(image + frame.image.count)
      ends.records.append(record + frame.record.count)
      ends.lines += frame.line.count
    }
    return true
  }

  /// Returns the image of a frame, a JPEG file; `nil` if there is no such frame.
  func image(at index: Int) throws(FileError) -> [UInt8]? {
    try bytes(of: Self.imageName, at: index, in: ends.withLock(\.images))
  }

  /// Returns the record of a frame, as JSON; `nil` if there is no such frame.
  func record(at index: Int) throws(FileError) -> [UInt8]? {
    try bytes(of: Self.recordName, at: index, in: ends.withLock(\.records))
  }

  /// Returns the lines of all frames.
  func lines() throws(FileError) -> [UInt8] {
    try ReadableFile("\(folder)/\(Self.lineName)").bytes(in: 0..<ends.withLock(\.lines))
  }

  private func bytes(
    of name: String, at index: Int, in ends: [Int]
  ) throws(FileError) -> [UInt8]? {
    guard ends.indices.contains(index) else { return nil }
    let start = index == 0 ? 0 : ends[index - 1]
    return try ReadableFile("\(folder)/\(name)").bytes(in: start..<ends[index])
  }
}
