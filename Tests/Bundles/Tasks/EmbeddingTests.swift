import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOTasks

@Suite struct EmbeddingDistanceTests {
  @Test func `Distances are computed correctly`() throws {
    let (one, other) = (Embedding([3, 0]), Embedding([0, 4]))
    #expect(try one.distance(to: other) == 5)
    #expect(try one.distance(to: other, by: .cosine) == 1)
    #expect(try one.distance(to: Embedding([-1, 0]), by: .cosine) == 2)
    #expect(try one.distance(to: Embedding([0, 0]), by: .cosine) == 1)
    #expect(one.normalized == Embedding([1, 0]))
    #expect(Embedding([0, 0]).normalized == Embedding([0, 0]))
  }

  @Test func `Comparing embeddings of different lengths is an error`() {
    #expect(throws: ModelError(.input, .wrongCount(expected: 2, actual: 1))) {
      try Embedding([1, 2]).distance(to: Embedding([1]))
    }
  }

  @Test(arguments: [(true, [0.6, 0.8]), (false, [3, 4])] as [(Bool, [Float])])
  func `The bundle's task determines whether embeddings are normalized`(
    normalizes: Bool, expected: [Float]
  ) throws {
    let bundle = try TestBundle(
      outputs: #"{"name": "e", "type": "array", "shape": [2], "role": "embedding"}"#,
      extra: #""task": {"type": "embedding", "normalize": \#(normalizes), "threshold": 0.5}"#)
    let model = try bundle.open(.pair)
    let decoder = try EmbeddingTask(model)
    let embedding = try decoder.result(of: model.run([3, 4] as [Float]))
    #expect(embedding == Embedding(expected))
    let near = try decoder.options.compare(Embedding([0, 0]), Embedding([0, 0.5]))
    #expect(isClose(near.distance, to: 0.5, within: 1e-6) && near.isMatch == true)
    #expect(try decoder.options.compare(Embedding([0]), Embedding([1])).isMatch == false)
  }
}

@Suite struct GalleryTests {
  private func gallery(_ entries: [(String, Float)]) -> InMemoryGallery {
    var gallery = InMemoryGallery()
    for (name, value) in entries { gallery.enroll(Embedding([value]), as: name) }
    return gallery
  }

  private func options(_ threshold: Double?) -> EmbeddingOptions {
    var options = EmbeddingOptions()
    options.maxDistance = threshold
    return options
  }

  @Test func `The name with the most votes among the nearest entries is recognized`() throws {
    let gallery = gallery([
      ("ann", 0), ("bob", 1), ("bob", 2), ("bob", 3), ("ann", 8), ("ann", 9),
    ])
    let result = try gallery.recognize(Embedding([0.25]), neighbors: 3, options(nil))
    #expect(result.name == "bob" && result.votes == 2 && result.distance == 0.75)
    let nearest = try gallery.recognize(Embedding([0.25]), neighbors: 1, options(nil))
    #expect(nearest.name == "ann" && nearest.distance == 0.25)
  }

  @Test(arguments: [1, 2])
  func `A name with few entries is not outvoted by the next nearest name`(_ count: Int) throws {
    var gallery = gallery([("ann", 0), ("bob", 1), ("bob", 2), ("bob", 3)])
    if count == 2 { gallery.enroll(Embedding([9]), as: "ann") }
    // A name with one entry that is not among the nearest does not matter.
    gallery.enroll(Embedding([100]), as: "cy")
    let result = try gallery.recognize(Embedding([0.25]), options(nil))
    #expect(result.name == "ann" && result.votes == 1 && result.distance == 0.25)
    #expect(result.neighbors.map(\.name) == ["ann", "bob", "bob"])
    let other = try gallery.recognize(Embedding([2]), options(nil))
    #expect(other.name == "bob" && other.votes == 3)
  }

  @Test func `In a tie, the nearest entry wins`() throws {
    let gallery = gallery([("ann", 3), ("bob", 1)])
    #expect(try gallery.recognize(Embedding([0]), options(nil)).name == "bob")
  }

  @Test func `Entries beyond the threshold have no vote`() throws {
    let gallery = gallery([("ann", 0), ("bob", 2), ("bob", 3)])
    #expect(try gallery.recognize(Embedding([0.5]), options(1)).name == "ann")
    let unknown = try gallery.recognize(Embedding([9]), options(1))
    #expect(unknown.name == nil && unknown.votes == 0 && unknown.distance == 6)
    #expect(try InMemoryGallery().recognize(Embedding([9]), options(1)).name == nil)
  }

  @Test func `Removed entries are not recognized`() throws {
    var gallery = gallery([("ann", 0), ("ann", 1), ("bob", 2)])
    #expect(gallery.remove("ann") == 2 && gallery.remove("ann") == 0)
    #expect(gallery.entries.map(\.name) == ["bob"])
  }
}
