import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOServer
import TensorIOSystem
import TensorIOTasks

/// One run of a model over the frames of a video.
final class VideoPass: Sendable {
  /// Limits on a pass.
  struct Limits: Sendable {
    var frames = FrameStore.Limits()
    var maxDuration = Duration.seconds(1800)
    /// The time without a request after which the client is considered gone.
    var idleTimeout = Duration.seconds(60)
  }

  /// How far a pass is.
  enum State: String, Sendable {
    case running, completed, cancelled, failed
  }

  private struct Progress {
    var state = State.running
    var error: ClientError?
    /// The width and height of the frames.
    var size: (width: Int, height: Int)?
    var frameRate: Double?
    /// Whether a limit ended the pass before the video did.
    var isTruncated = false
    var lastUse = ContinuousClock.now
  }

  /// The frames that have been processed.
  let frames: FrameStore
  private let folder: String
  private let limits: Limits
  private let start = ContinuousClock.now
  private let progress = Mutex(Progress())
  private let isCancelled = Atomic(false)

  /// Creates a pass whose frames are stored in an empty folder.
  init(in folder: String, _ limits: Limits) throws(FileError) {
    (self.folder, self.limits) = (folder, limits)
    frames = try FrameStore(in: folder, limits.frames)
  }

  /// Whether the pass still runs.
  var isRunning: Bool { progress.withLock(\.state) == .running }

  /// Cancels the pass; frames that have been processed are kept.
  func cancel() { isCancelled.store(true, ordering: .relaxed) }

  /// Removes the frames of a pass that another one has replaced.
  func removeFrames() { FileSystem.remove(folder) }

  /// Notes that the client is still there.
  func recordUse() { progress.withLock { $0.lastUse = .now } }

  /// Runs the model on the calling thread.
  func run(_ host: any StudioHost, _ path: String, with model: Model, _ options: ResultOptions) {
    let error: ClientError?
    do throws(ClientError) {
      try host.processVideo(
        at: path, with: model, options,
        onStart: { rate in progress.withLock { $0.frameRate = rate } },
        onFrame: add, isCancelled: { [self] in shouldStop })
      error = progress.withLock(\.error)
    } catch let failure {
      error = failure
    }
    let isCancelled = isCancelled.load(ordering: .relaxed) || isIdle
    let isLate = isLate
    progress.withLock { progress in
      progress.isTruncated = progress.isTruncated || isLate
      progress.error = isCancelled ? nil : error
      progress.state = isCancelled ? .cancelled : error == nil ? .completed : .failed
    }
  }

  private var isIdle: Bool {
    progress.withLock { $0.lastUse.duration(to: .now) } > limits.idleTimeout
  }

  private var isLate: Bool { start.duration(to: .now) > limits.maxDuration }

  private var shouldStop: Bool { isCancelled.load(ordering: .relaxed) || isIdle || isLate }

  /// Stores a frame; returns whether to continue.
  private func add(_ frame: ProcessedFrame) -> Bool {
    do throws(FileError) {
      guard try frames.append(frame) else {
        progress.withLock { $0.isTruncated = true }
        return false
      }
      progress.withLock { $0.size = $0.size ?? (frame.width, frame.height) }
      return !shouldStop
    } catch {
      progress.withLock { $0.error = .videoNotStored(error) }
      return false
    }
  }
}

extension VideoPass {
  /// Writes how far the pass is.
  func writeMembers(to writer: inout JSONWriter) {
    let progress = progress.withLock(\.self)
    writer.member("state", progress.state.rawValue)
    writer.member("frames", frames.count)
    writer.member("frame_rate", orNull: progress.frameRate)
    writer.member("width", orNull: progress.size.map { Double($0.width) })
    writer.member("height", orNull: progress.size.map { Double($0.height) })
    writer.member("truncated", progress.isTruncated)
    writer.member("error", orNull: progress.error?.message)
    writer.member("code", orNull: progress.error?.code)
  }
}
