import Foundation
import TensorIOBundle
import TensorIOCore
import TensorIOLiteRT
import TensorIOTestSupport
import Testing

/// Weights that are kept as the runtime arranges them: opened again, a model says what it said before,
/// whatever has become of the cache.
@Suite(.serialized) struct WeightCacheTests {
  private static let model = ProjectFiles.path(
    "Examples/Bundles/face-embedder.tiobundle/model.tflite")
  private static let other = ProjectFiles.path(
    "Examples/Bundles/face-detector.tiobundle/model.tflite")

  private func answer(_ cache: WeightCache?, _ path: String = Self.model) throws -> [[UInt8]] {
    let model = try LiteRTBackend(weightCache: cache).model(
      at: ModelFile(path: path, name: "model.tflite"))
    return try model.makeSession(SessionOptions()).patternRun(model.signature)
  }

  /// The files of a cache, by their paths in it.
  private func files(_ folder: TemporaryFolder) -> [String] {
    (FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? [])
      .filter { $0.split(separator: "/").count == 3 }.sorted()
  }

  @Test func `a model is kept when it is first opened, and says the same ever after`() throws {
    let folder = try TemporaryFolder()
    let cache = WeightCache(path: folder.path)
    let plain = try answer(nil)
    #expect(try answer(cache) == plain)
    let kept = files(folder)
    #expect(kept.map { $0.split(separator: "/").last } == ["fingerprint", "weights"])
    let weights = try #require(kept.last)
    let before = try Data(contentsOf: URL(filePath: "\(folder.path)/\(weights)"))
    #expect(before.count > 100_000)
    #expect(try answer(cache) == plain)
    #expect(try Data(contentsOf: URL(filePath: "\(folder.path)/\(weights)")) == before)
    #expect(files(folder) == kept)
  }

  @Test func `another model has a place of its own`() throws {
    let folder = try TemporaryFolder()
    let cache = WeightCache(path: folder.path)
    let (first, second) = (try answer(nil), try answer(nil, Self.other))
    for _ in 0..<2 {
      #expect(try answer(cache) == first)
      #expect(try answer(cache, Self.other) == second)
    }
    #expect(files(folder).count == 4)
  }

  @Test func `another model in the place of one that is known is known as another`() async throws {
    let (folder, models) = (try TemporaryFolder(), try TemporaryFolder())
    let cache = WeightCache(path: folder.path)
    let path = "\(models.path)/model.tflite"
    for original in [Self.model, Self.other, Self.model] {
      let bytes = try Data(contentsOf: URL(filePath: original))
      try bytes.write(to: URL(filePath: path))
      try FileManager.default.setAttributes(
        [.modificationDate: Date.distantPast], ofItemAtPath: path)
      let plain = try answer(nil, original)
      #expect(try answer(cache, path) == plain)
      // Only of files that have not just been written is anything remembered.
      try await Task.sleep(for: .seconds(2.1))
      for _ in 0..<2 { #expect(try answer(cache, path) == plain) }
    }
    #expect(files(folder).count == 4)
    let known = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/digests")
    #expect(known.count == 3)
  }

  @Test(arguments: ["", "0", String(repeating: "/", count: 64), String(repeating: "a", count: 64)])
  func `a damaged memory of a model costs no more than the time`(_ memory: String) async throws {
    let (folder, models) = (try TemporaryFolder(), try TemporaryFolder())
    let cache = WeightCache(path: folder.path)
    let path = try models.write(
      [UInt8](Data(contentsOf: URL(filePath: Self.model))), to: "model.tflite")
    try await Task.sleep(for: .seconds(2.1))
    let plain = try answer(cache, path)
    let digests = "\(folder.path)/digests"
    let known = try #require(FileManager.default.contentsOfDirectory(atPath: digests).first)
    try Data(memory.utf8).write(to: URL(filePath: "\(digests)/\(known)"))
    for _ in 0..<2 { #expect(try answer(cache, path) == plain) }
  }

  enum Damage: CaseIterable {
    case flippedBit, shorter, longer, empty, otherModel, noWeights, noFingerprint, wrongFingerprint
  }

  @Test(arguments: Damage.allCases)
  func `what is damaged is made anew`(_ damage: Damage) throws {
    let folder = try TemporaryFolder()
    let cache = WeightCache(path: folder.path)
    let plain = try answer(cache)
    let kept = files(folder)
    let paths = kept.map { "\(folder.path)/\($0)" }
    let whole = try paths.map { try Data(contentsOf: URL(filePath: $0)) }
    try harm(paths[1], whole[1], fingerprint: paths[0], damage)
    #expect(try answer(cache) == plain)
    #expect(files(folder) == kept)
    let mended = try paths.map { try Data(contentsOf: URL(filePath: $0)) }
    #expect(mended == whole)
  }

  private func harm(
    _ weights: String, _ whole: Data, fingerprint: String, _ damage: Damage
  ) throws {
    var data = whole
    switch damage {
    case .flippedBit: data[data.count / 2] ^= 0x10
    case .shorter: data.removeLast(1000)
    case .longer: data.append(0)
    case .empty: data = Data()
    case .otherModel:
      let folder = try TemporaryFolder()
      _ = try answer(WeightCache(path: folder.path), Self.other)
      data = try Data(contentsOf: URL(filePath: "\(folder.path)/\(#require(files(folder).last))"))
    case .noWeights: return try FileManager.default.removeItem(atPath: weights)
    case .noFingerprint: return try FileManager.default.removeItem(atPath: fingerprint)
    case .wrongFingerprint: return try Data("0".utf8).write(to: URL(filePath: fingerprint))
    }
    try data.write(to: URL(filePath: weights))
  }

  @Test func `where nothing can be kept, models open as ever`() throws {
    let folder = try TemporaryFolder()
    let plain = try answer(nil)
    let file = try folder.write("no folder", to: "file")
    for path in [
      "\(file)/below", "/proc/nothing", "\(folder.path)/a\"quote", "\(folder.path)/b\\c",
    ] {
      #expect(try answer(WeightCache(path: path)) == plain, "\(path)")
    }
    #expect(folder.entries == ["file"])
  }

  @Test func `many that open at once leave one that is whole`() async throws {
    let folder = try TemporaryFolder()
    let cache = WeightCache(path: folder.path)
    let plain = try answer(nil)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let answer = try self.answer(cache)
          #expect(answer == plain)
        }
      }
      try await group.waitForAll()
    }
    #expect(files(folder).count == 2)
    #expect(try answer(cache) == plain)
  }

  @Test(
    arguments: [
      (["TENSORIO_CACHE_DIR": "/c/", "XDG_CACHE_HOME": "/x", "HOME": "/h"], "/c"),
      (["TENSORIO_CACHE_DIR": "off", "HOME": "/h"], nil),
      (["XDG_CACHE_HOME": "/x", "HOME": "/h"], "/x/tensorio"),
      (["XDG_CACHE_HOME": "relative", "HOME": "/h"], "/h/.cache/tensorio"),
      (["HOME": "/h"], "/h/.cache/tensorio"), ([:], nil),
    ] as [([String: String], String?)])
  func `the environment says where, or that nothing is kept`(
    variables: [String: String], path: String?
  ) {
    #expect(WeightCache(environment: { variables[$0] })?.path == path)
  }
}
