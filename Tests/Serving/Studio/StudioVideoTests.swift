import Foundation
import TensorIOServer
import TensorIOTestSupport
import Testing

@testable import TensorIOStudio

/// Videos on whose frames the server runs a model.
@Suite(.ownThreads, .hangGuard) struct StudioVideoTests {
  private let folder: TemporaryFolder
  private let bundle: TestBundle

  init() throws { (folder, bundle) = (try TemporaryFolder(), try GatedStudioHost.bundle()) }

  /// Creates a video, and uploads bytes in parts.
  private func upload(
    _ bytes: [UInt8], for model: String, to harness: StudioHarness, partSize: Int = 3000
  ) throws -> String {
    let created = try harness.post("/videos", #"{"model": "\#(model)"}"#)
    #expect(created.status == .created, "\(created.text)")
    let id = try #require(created.json()["id"]?.string)
    for offset in stride(from: 0, to: bytes.count, by: partSize) {
      let part = Array(bytes[offset..<min(bytes.count, offset + partSize)])
      let response = try harness.send(.post, "/videos/\(id)/data?offset=\(offset)", body: part)
      #expect(response.status == .noContent, "\(response.text)")
    }
    return id
  }

  /// Starts a run, and returns its final status.
  private func run(
    _ id: String, _ options: String = "{}", in harness: StudioHarness
  ) async throws -> JSONTree {
    let started = try harness.post("/videos/\(id)/start", options)
    #expect(started.status == .accepted, "\(started.text)")
    while true {
      let status = try harness.json("/videos/\(id)")
      guard status["state"]?.string == "running" else { return status }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  @Test(.enabled(if: ShapeVideo.isAvailable, "ffmpeg is not installed"))
  func `The frames have the results of tensorio stream`() async throws {
    let harness = try StudioHarness([StudioHarness.bundle("shape-detector")])
    let path = try ShapeVideo.make(in: folder)
    let bytes = Array(try Data(contentsOf: URL(filePath: path)))
    let id = try upload(bytes, for: "shape-detector", to: harness)
    #expect(try harness.json("/videos/\(id)")["tracks"]?.bool == true)
    let status = try await run(id, #"{"tracking": true}"#, in: harness)
    #expect(status["state"]?.string == "completed", "\(status.text)")
    #expect(status["frames"]?.number == 20 && status["frame_rate"]?.number == 10)
    #expect(status["width"]?.number == 320 && status["truncated"]?.bool == false)
    let lines = try harness.get("/videos/\(id)/lines")
    #expect(lines.headers["Content-Type"] == "application/x-ndjson")
    let records = try lines.text.split(separator: "\n").map { try JSONTree(String($0)) }
    let streamed = try TestConsole.run([
      "stream", StudioHarness.bundle("shape-detector"), path, "--track", "--format", "ndjson",
    ]).jsonLines()
    #expect(records.count == 20 && streamed.count == 20)
    for key in ["frame", "time_s", "outputs", "counts", "text"] {
      #expect(records.map { $0[key] } == streamed.map { $0[key] }, "\(key)")
    }
    // The record of a frame also has what to draw.
    let frame = try harness.json("/videos/\(id)/frames/19")
    #expect(frame["outputs"] == streamed[19]["outputs"])
    #expect(frame["display"]?["overlay"]?[0]?["label"]?.string?.contains("#") == true)
    let image = try harness.get("/videos/\(id)/frames/19/image")
    #expect(image.headers["Content-Type"] == "image/jpeg" && image.body.starts(with: [0xFF, 0xD8]))
    for path in ["frames/20", "frames/-1", "frames/x", "frames/20/image"] {
      #expect(try harness.get("/videos/\(id)/\(path)").status == .notFound)
    }
    // Another run replaces the frames.
    let again = try await run(id, #"{"tracking": false}"#, in: harness)
    #expect(again["frames"]?.number == 20)
    #expect(try harness.json("/videos/\(id)/frames/19")["counts"] == nil)
    #expect(try harness.send(.delete, "/videos/\(id)").status == .noContent)
    #expect(try harness.get("/videos/\(id)").status == .notFound)
  }

  @Test(
    .enabled(if: ShapeVideo.isAvailable, "ffmpeg is not installed"),
    arguments: [
      "no video", "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:PATH\n#EXT-X-ENDLIST\n",
      "ffconcat version 1.0\nfile 'PATH'\n",
    ])
  func `Files that are no videos, and lists of other files, are rejected`(
    _ text: String
  ) async throws {
    let harness = try StudioHarness([StudioHarness.bundle("shape-detector")])
    let text = text.replacing("PATH", with: try ShapeVideo.make(in: folder))
    let id = try upload(Array(text.utf8), for: "shape-detector", to: harness)
    let status = try await run(id, in: harness)
    #expect(status["state"]?.string == "failed" && status["frames"]?.number == 0)
    #expect(status["code"]?.string == "unreadable-video", "\(status.text)")
  }

  @Test func `Parts follow each other, and requests are checked`() throws {
    let harness = try StudioHarness()
    for body in ["{}", "[", #"{"model": 1}"#] {
      #expect(try harness.post("/videos", body).status == .badRequest)
    }
    #expect(try harness.post("/videos", #"{"model": "none"}"#).status == .notFound)
    let id = try upload([1, 2, 3], for: "digits", to: harness)
    #expect(try harness.post("/videos/\(id)/data?offset=2", "x").code == "wrong-offset")
    #expect(try harness.post("/videos/\(id)/data", "x").status == .badRequest)
    #expect(try harness.post("/videos/\(id)/data?offset=3", "").status == .badRequest)
    #expect(try harness.post("/videos/\(id)/start", #"{"top": 0}"#).status == .badRequest)
    let tracked = try harness.post("/videos/\(id)/start", #"{"tracking": true}"#)
    #expect(tracked.status == .unprocessableContent && tracked.code == "unsupported")
    let empty = try upload([], for: "digits", to: harness)
    #expect(try harness.post("/videos/\(empty)/start", "{}").code == "no-video")
    for path in ["", "/lines", "/frames/0"] {
      #expect(try harness.get("/videos/0123\(path)").status == .notFound)
    }
  }

  // MARK: Limits

  /// A studio whose videos never end.
  private func endless(_ limits: StudioVideos.Limits) throws -> StudioHarness {
    try StudioHarness(
      [bundle.path], host: GatedStudioHost(gate: TestGate()), videoLimits: limits)
  }

  private func model(of harness: StudioHarness) -> String { harness.catalog.entries[0].name }

  @Test func `Frames, sizes and the number of videos are limited`() async throws {
    var limits = StudioVideos.Limits()
    (limits.maxStored, limits.maxBytes, limits.pass.frames.maxFrames) = (2, 4, 3)
    let harness = try endless(limits)
    let id = try upload([1, 2, 3, 4], for: model(of: harness), to: harness)
    let large = try harness.post("/videos/\(id)/data?offset=4", "5")
    #expect(large.status == .contentTooLarge && large.code == "video-too-large")
    let status = try await run(id, in: harness)
    #expect(status["state"]?.string == "completed" && status["truncated"]?.bool == true)
    #expect(status["frames"]?.number == 3)
    _ = try upload([1], for: model(of: harness), to: harness)
    let third = try harness.post("/videos", #"{"model": "\#(model(of: harness))"}"#)
    #expect(third.status == .tooManyRequests && third.code == "too-many-videos")
  }

  @Test func `A run ends with its time, and when its client is gone`() async throws {
    var limits = StudioVideos.Limits()
    limits.pass.maxDuration = .milliseconds(100)
    let late = try endless(limits)
    let status = try await run(upload([1], for: model(of: late), to: late), in: late)
    #expect(status["state"]?.string == "completed" && status["truncated"]?.bool == true)
    limits = StudioVideos.Limits()
    limits.pass.idleTimeout = .milliseconds(100)
    let left = try endless(limits)
    let id = try upload([1], for: model(of: left), to: left)
    #expect(try left.post("/videos/\(id)/start", "{}").status == .accepted)
    let pass = try #require(try left.studio.videos.video(id).pass)
    while pass.isRunning { try await Task.sleep(for: .milliseconds(10)) }
    #expect(try left.json("/videos/\(id)")["state"]?.string == "cancelled")
  }

  @Test func `Closing a video cancels its run, and so does the end of the studio`() async throws {
    let harness = try endless(StudioVideos.Limits())
    let ids = try (0..<2).map { _ in try upload([1], for: model(of: harness), to: harness) }
    for id in ids {
      #expect(try harness.post("/videos/\(id)/start", "{}").status == .accepted)
    }
    let third = try upload([1], for: model(of: harness), to: harness)
    #expect(try harness.post("/videos/\(third)/start", "{}").code == "too-many-videos")
    let passes = try ids.map { try #require(try harness.studio.videos.video($0).pass) }
    #expect(try harness.send(.delete, "/videos/\(ids[0])").status == .noContent)
    while passes[0].isRunning { try await Task.sleep(for: .milliseconds(10)) }
    #expect(passes[1].isRunning)
    harness.studio.close()
    #expect(!passes[1].isRunning)
  }
}
