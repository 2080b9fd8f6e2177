import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOServer
import TensorIOSystem
import TensorIOTasks

/// A video that a client has uploaded in parts, and the latest pass of a model over it.
///
/// The files are removed on deinitialization.
final class StudioVideo: Sendable {
  /// The identifier, which cannot be guessed.
  let id = String(UInt64.random(in: 1 << 60 ... .max), radix: 16)
  let modelName: String
  let model: Model
  /// Whether the model finds objects that can be followed from frame to frame.
  let canTrack: Bool

  private struct Content {
    var byteCount = 0
    var pass: VideoPass?
    var passCount = 0
    var lastUse = ContinuousClock.now
  }

  private static let fileName = "video"

  private let folder: TemporaryDirectory
  private let file: WritableFile
  private let maxBytes: Int
  private let content = Mutex(Content())

  init(
    of model: Model, named modelName: String, canTrack: Bool, maxBytes: Int
  ) throws(ClientError) {
    (self.model, self.modelName, self.canTrack) = (model, modelName, canTrack)
    self.maxBytes = maxBytes
    do throws(FileError) {
      folder = try TemporaryDirectory(prefix: "tensorio-video")
      file = try WritableFile(creating: "\(folder.path)/\(Self.fileName)", isPrivate: true)
    } catch {
      throw .videoNotStored(error)
    }
  }

  deinit { folder.remove() }

  /// The path of the file.
  var path: String { "\(folder.path)/\(Self.fileName)" }

  /// The latest pass; `nil` before the first.
  var pass: VideoPass? { content.withLock(\.pass) }

  /// The number of bytes that have been received.
  var byteCount: Int { content.withLock(\.byteCount) }

  /// The time since the last request.
  var idleTime: Duration { content.withLock { $0.lastUse.duration(to: .now) } }

  /// Notes that the client is still there.
  func recordUse() {
    content.withLock { content in
      content.lastUse = .now
      content.pass?.recordUse()
    }
  }

  /// Adds a part of the file, which follows those that have been received.
  func append(_ bytes: [UInt8], at offset: Int) throws(ClientError) {
    try content.withLock { (content) throws(ClientError) in
      guard content.pass == nil, offset == content.byteCount else {
        throw ClientError(
          .conflict, "wrong-offset", "\(content.byteCount) bytes have been received")
      }
      guard offset + bytes.count <= maxBytes else {
        throw ClientError(
          .contentTooLarge, "video-too-large", "a video is limited to \(maxBytes >> 20) MB")
      }
      do throws(FileError) {
        try file.write(bytes, at: offset)
      } catch {
        throw .videoNotStored(error)
      }
      content.byteCount += bytes.count
    }
  }

  /// Begins a new pass, in place of the latest one, which is canceled.
  func makePass(_ limits: VideoPass.Limits) throws(ClientError) -> VideoPass {
    try content.withLock { (content) throws(ClientError) in
      guard content.byteCount > 0 else {
        throw ClientError(.conflict, "no-video", "no video has been uploaded")
      }
      content.pass?.cancel()
      content.passCount += 1
      let path = "\(folder.path)/\(content.passCount)"
      do throws(FileError) {
        // A running pass is removed when it ends.
        if let old = content.pass, !old.isRunning { old.removeFrames() }
        try FileSystem.createDirectory(path)
        let pass = try VideoPass(in: path, limits)
        content.pass = pass
        return pass
      } catch {
        throw .videoNotStored(error)
      }
    }
  }
}

extension ClientError {
  /// The video or its frames cannot be stored.
  static func videoNotStored(_ error: FileError) -> ClientError {
    ClientError(
      .internalServerError, "unwritable", "the video cannot be stored: \(error.message)")
  }
}
