import Dispatch
import Synchronization
import TensorIOServer
import TensorIOTasks

/// The videos of clients.
final class StudioVideos: Sendable {
  /// Limits on videos.
  struct Limits: Sendable {
    var maxRunning = 2
    var maxStored = 4
    var maxBytes = 2 << 30
    var pass = VideoPass.Limits()
  }

  private let host: any StudioHost
  private let limits: Limits
  private let videos = Mutex<[StudioVideo]>([])
  private let threads = DispatchGroup()

  init(_ host: any StudioHost, _ limits: Limits = Limits()) {
    (self.host, self.limits) = (host, limits)
  }

  /// Adds a video that is uploaded later.
  ///
  /// If too many are stored, evicts the oldest one that its client has left; throws if there is none.
  func create(for served: ServedModel, canTrack: Bool) throws(ClientError) -> StudioVideo {
    try host.requireVideoDecoder()
    let video = try StudioVideo(
      of: served.model, named: served.name, canTrack: canTrack, maxBytes: limits.maxBytes)
    try videos.withLock { (videos) throws(ClientError) in
      if videos.count >= limits.maxStored {
        guard let index = videos.firstIndex(where: { isEvictable($0) }) else {
          throw ClientError(
            .tooManyRequests, "too-many-videos",
            "\(limits.maxStored) videos are already open; close one")
        }
        videos.remove(at: index).pass?.cancel()
      }
      videos.append(video)
    }
    return video
  }

  private func isEvictable(_ video: StudioVideo) -> Bool {
    video.idleTime > limits.pass.idleTimeout && video.pass?.isRunning != true
  }

  /// The number of videos.
  var count: Int { videos.withLock(\.count) }

  /// Returns the video with the given identifier.
  func video(_ id: String) throws(ClientError) -> StudioVideo {
    guard let video = videos.withLock({ $0.first { $0.id == id } }) else {
      throw .notFound("video")
    }
    video.recordUse()
    return video
  }

  /// Starts a pass of the model over a video on a separate thread.
  func start(_ video: StudioVideo, _ options: ResultOptions) throws(ClientError) {
    let pass = try videos.withLock { (videos) throws(ClientError) in
      let others = videos.count { $0 !== video && $0.pass?.isRunning == true }
      guard others < limits.maxRunning else {
        throw ClientError(
          .tooManyRequests, "too-many-videos",
          "\(limits.maxRunning) videos are already being processed; wait for one or close it")
      }
      return try video.makePass(limits.pass)
    }
    let host = host
    DispatchQueue(label: "tensorio.video").async(group: threads) {
      pass.run(host, video.path, with: video.model, options)
      if video.pass !== pass { pass.removeFrames() }
    }
  }

  /// Cancels the pass over a video, and removes it.
  func remove(_ video: StudioVideo) {
    video.pass?.cancel()
    videos.withLock { $0.removeAll { $0 === video } }
  }

  /// Cancels all passes, and waits until none of them reads its video.
  func close() {
    let all = videos.withLock(\.self)
    for video in all { video.pass?.cancel() }
    threads.wait()
    videos.withLock { $0 = [] }
  }
}
