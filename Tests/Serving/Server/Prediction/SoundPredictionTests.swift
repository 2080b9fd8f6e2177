import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// Recordings that are posted to models of words and of activity, in this process and in worker processes.
@Suite(.ownThreads, .hangGuard) struct SoundPredictionTests {
  private static let levels: [Isolation.Level?] = [nil, .process]

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func router(_ name: String, _ level: Isolation.Level?) throws -> Router {
    let path = ProjectFiles.path("Tests/Fixtures/Bundles/\(name).tiobundle")
    let options = OpeningOptions(isolation: level.map { Isolation(level: $0) })
    let entry = ModelCatalog.Entry(
      name: name, path: path, bundle: .success(try ModelBundle(at: path)))
    let catalog = ModelCatalog([entry]) { (_) throws(ModelError) in
      try Model(at: path, options: options)
    }
    return Router(
      PredictionRoutes(
        catalog, ServerMetrics(), version: "1", status: ServerStatus(), isolation: level
      ).routes)
  }

  /// Returns the outputs of a model for the sound in a golden file.
  private func predict(
    _ name: String, _ golden: JSONTree, _ level: Isolation.Level?
  ) throws -> JSONTree? {
    let samples = golden["samples"]?.numbers ?? []
    let path = folder.path + "/sound.wav"
    try AudioBuffer(samples: samples.map { Float($0 / 32768) }, sampleRate: 1600).write(to: path)
    let target = try #require(RequestTarget("/v2/models/\(name)/predict"))
    let body = Array(try Data(contentsOf: URL(filePath: path)))
    let router = try router(name, level)
    let responses = (0..<2).map { _ in
      router.respond(
        to: HTTPRequest(.post, target, headers: ["Content-Type": "audio/wav"], body: body))
    }
    #expect(responses[0].status == .ok, "\(responses[0].text)")
    let outputs = try responses.map { try $0.json()["outputs"] }
    #expect(outputs[0] == outputs[1], "each recording begins with the initial state")
    return outputs[0]
  }

  private func golden(_ name: String) throws -> JSONTree {
    try JSONTree(contentsOf: ProjectFiles.path("Tests/Fixtures/ONNX/\(name).json"))
  }

  @Test(arguments: levels)
  func `A recording has the words of numpy`(_ level: Isolation.Level?) throws {
    let golden = try golden("keywords")
    let keywords = try predict("keyword", golden, level)?["keywords"]
    let expected = golden["spotted"]?.array ?? []
    let found = keywords?["spotted"]?.array ?? []
    #expect(found.map { $0["label"]?.string } == expected.map { $0["word"]?.string })
    for (word, expected) in zip(found, expected) {
      #expect(abs((word["time"]?.number ?? -1) - (expected["time"]?.number ?? 0)) < 1e-6)
      #expect(abs((word["score"]?.number ?? -1) - (expected["score"]?.number ?? 0)) < 1e-4)
    }
  }

  @Test(arguments: levels)
  func `A recording has the sections of numpy`(_ level: Isolation.Level?) throws {
    let golden = try golden("activity")
    let segments = try predict("activity", golden, level)?["activity"]?["segments"]?.array ?? []
    let times = segments.map { [$0["start"]?.number ?? -1, $0["end"]?.number ?? -1] }
    #expect(times == golden["sections"]?.array?.compactMap(\.numbers))
  }
}
