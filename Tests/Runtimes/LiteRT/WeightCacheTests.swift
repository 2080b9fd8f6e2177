import Foundation
import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOLiteRT

/// The weight cache: the outputs of a model do not depend on the state of the cache.
@Suite(.serialized) struct WeightCacheTests {
  private static let model = ProjectFiles.path(
    "Examples/Bundles/face-embedder.tiobundle/model.tflite")
  private static let other = ProjectFiles.path(
    "Examples/Bundles/face-detector.tiobundle/model.tflite")

  private func outputs(_ cache: WeightCache?, _ path: String = Self.model) throws -> [[UInt8]] {
    let model = try LiteRTBackend(weightCache: cache).model(
      at: ModelFile(path: path, name: "model.tflite"))
    return try model.makeSession(SessionOptions()).patternRun(model.signature)
  }

  /// Returns the relative paths of the files in a cache.
  private func files(_ folder: TemporaryFolder) -> [String] {
    (FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? [])
      .filter { $0.split(separator: "/").count == 3 }.sorted()
  }

  @Test func `A model is cached when it is first opened`() throws {
    let folder = try TemporaryFolder()
    let cache = WeightCache(path: folder.path)
    let plain = try outputs(nil)
    #expect(try outputs(cache) == plain)
    let cached = files(folder)
    #expect(cached.map { $0.split(separator: "/").last } == ["fingerprint", "weights"])
    let weights = try #require(cached.last)
    let before = try Data(contentsOf: URL(filePath: "\(folder.path)/\(weights)"))
    #expect(before.count > 100_000)
    #expect(try outputs(cache) == plain)
    #expect(try Data(contentsOf: URL(filePath: "\(folder.path)/\(weights)")) == before)
    #expect(files(folder) == cached)
  }

  @Test func `Each model has a separate entry`() throws {
    let folder = try TemporaryFolder()
    let cache = WeightCache(path: folder.path)
    let (first, second) = (try outputs(nil), try outputs(nil, Self.other))
    for _ in 0..<2 {
      #expect(try outputs(cache) == first)
      #expect(try outputs(cache, Self.other) == second)
    }
    #expect(files(folder).count == 4)
  }

  @Test func `A different model at the same path has a separate entry`() async throws {
    let (folder, models) = (try TemporaryFolder(), try TemporaryFolder())
    let cache = WeightCache(path: folder.path)
    let path = "\(models.path)/model.tflite"
    for original in [Self.model, Self.other, Self.model] {
      let bytes = try Data(contentsOf: URL(filePath: original))
      try bytes.write(to: URL(filePath: path))
      try FileManager.default.setAttributes(
        [.modificationDate: Date.distantPast], ofItemAtPath: path)
      let plain = try outputs(nil, original)
      #expect(try outputs(cache, path) == plain)
      // Digests are cached only for files that were not modified recently.
      try await Task.sleep(for: .seconds(2.1))
      for _ in 0..<2 { #expect(try outputs(cache, path) == plain) }
    }
    #expect(files(folder).count == 4)
    let digests = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/digests")
    #expect(digests.count == 3)
  }

  @Test(arguments: ["", "0", String(repeating: "/", count: 64), String(repeating: "a", count: 64)])
  func `A corrupt digest cache has no effect on the outputs`(_ digest: String) async throws {
    let (folder, models) = (try TemporaryFolder(), try TemporaryFolder())
    let cache = WeightCache(path: folder.path)
    let path = try models.write(
      [UInt8](Data(contentsOf: URL(filePath: Self.model))), to: "model.tflite")
    try await Task.sleep(for: .seconds(2.1))
    let plain = try outputs(cache, path)
    let digests = "\(folder.path)/digests"
    let entry = try #require(FileManager.default.contentsOfDirectory(atPath: digests).first)
    try Data(digest.utf8).write(to: URL(filePath: "\(digests)/\(entry)"))
    for _ in 0..<2 { #expect(try outputs(cache, path) == plain) }
  }

  enum Damage: CaseIterable {
    case flippedBit, shorter, longer, empty, otherModel, noWeights, noFingerprint, wrongFingerprint
  }

  @Test(arguments: Damage.allCases)
  func `A corrupt entry is replaced`(_ damage: Damage) throws {
    let folder = try TemporaryFolder()
    let cache = WeightCache(path: folder.path)
    let plain = try outputs(cache)
    let cached = files(folder)
    let paths = cached.map { "\(folder.path)/\($0)" }
    let original = try paths.map { try Data(contentsOf: URL(filePath: $0)) }
    try apply(damage, to: paths[1], original[1], fingerprint: paths[0])
    #expect(try outputs(cache) == plain)
    #expect(files(folder) == cached)
    let replaced = try paths.map { try Data(contentsOf: URL(filePath: $0)) }
    #expect(replaced == original)
  }

  private func apply(
    _ damage: Damage, to weights: String, _ original: Data, fingerprint: String
  ) throws {
    var data = original
    switch damage {
    case .flippedBit: data[data.count / 2] ^= 0x10
    case .shorter: data.removeLast(1000)
    case .longer: data.append(0)
    case .empty: data = Data()
    case .otherModel:
      let folder = try TemporaryFolder()
      _ = try outputs(WeightCache(path: folder.path), Self.other)
      data = try Data(contentsOf: URL(filePath: "\(folder.path)/\(#require(files(folder).last))"))
    case .noWeights: return try FileManager.default.removeItem(atPath: weights)
    case .noFingerprint: return try FileManager.default.removeItem(atPath: fingerprint)
    case .wrongFingerprint: return try Data("0".utf8).write(to: URL(filePath: fingerprint))
    }
    try data.write(to: URL(filePath: weights))
  }

  @Test func `Models open if the cache cannot be written`() throws {
    let folder = try TemporaryFolder()
    let plain = try outputs(nil)
    let file = try folder.write("not a folder", to: "file")
    for path in [
      "\(file)/below", "/proc/nothing", "\(folder.path)/a\"quote", "\(folder.path)/b\\c",
    ] {
      #expect(try outputs(WeightCache(path: path)) == plain, "\(path)")
    }
    #expect(folder.entries == ["file"])
  }

  @Test func `Concurrent opens leave one valid entry`() async throws {
    let folder = try TemporaryFolder()
    let cache = WeightCache(path: folder.path)
    let plain = try outputs(nil)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let outputs = try self.outputs(cache)
          #expect(outputs == plain)
        }
      }
      try await group.waitForAll()
    }
    #expect(files(folder).count == 2)
    #expect(try outputs(cache) == plain)
  }

  @Test func `A process that was slower maps the file of the faster one`() throws {
    let folder = try TemporaryFolder()
    let cache = WeightCache(path: folder.path)
    let entry = try #require(CachedWeights(in: cache) { "digest" })
    func write(_ file: String?) throws(ModelError) -> String {
      guard let file else { throw ModelError(.runtime, .modelRejected(detail: "no file")) }
      if !FileManager.default.fileExists(atPath: file) {
        guard FileManager.default.createFile(atPath: file, contents: Data(file.utf8)) else {
          throw ModelError(.runtime, .modelRejected(detail: "unwritable"))
        }
      }
      return file
    }
    var calls: [String] = []
    var discarded: [String] = []
    var other: String?
    let file = try entry.withCacheFile(discarding: { discarded.append($0) }) {
      (file) throws(ModelError) in
      calls.append(try write(file))
      if other == nil { other = try entry.withCacheFile(discarding: { _ in }, write) }
      return calls[calls.count - 1]
    }
    // Both wrote a file of their own, and the first one to be complete is used by both.
    let staged = try #require(other)
    #expect(discarded == [calls[0]])
    #expect(calls.count == 2 && staged != calls[0] && file == calls[1])
    #expect(file == "\(folder.path)/weights/digest/weights")
    #expect(try Data(contentsOf: URL(filePath: file)) == Data(staged.utf8))
    #expect(files(folder) == ["weights/digest/fingerprint", "weights/digest/weights"])
  }

  @Test(
    arguments: [
      (["TENSORIO_CACHE_DIR": "/c/", "XDG_CACHE_HOME": "/x", "HOME": "/h"], "/c"),
      (["TENSORIO_CACHE_DIR": "off", "HOME": "/h"], nil),
      (["XDG_CACHE_HOME": "/x", "HOME": "/h"], "/x/tensorio"),
      (["XDG_CACHE_HOME": "relative", "HOME": "/h"], "/h/.cache/tensorio"),
      (["HOME": "/h"], "/h/.cache/tensorio"), ([:], nil),
    ] as [([String: String], String?)])
  func `The environment sets the location or disables the cache`(
    variables: [String: String], path: String?
  ) {
    #expect(WeightCache(environment: { variables[$0] })?.path == path)
  }
}
