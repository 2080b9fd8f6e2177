import TensorIOCore
import TensorIOTestSupport
import Testing
@testable import TensorIOBundle
@testable import TensorIOTasks

@Suite struct EmbeddingDistanceTests {
  @Test func `distances are those of geometry`() throws {
    let (one, other) = (Embedding([3, 0]), Embedding([0, 4]))
    #expect(try one.distance(to: other) == 5)
    #expect(try one.distance(to: other, by: .cosine) == 1)
    #expect(try one.distance(to: Embedding([-1, 0]), by: .cosine) == 2)
    #expect(try one.distance(to: Embedding([0, 0]), by: .cosine) == 1)
    #expect(one.normalized == Embedding([1, 0]))
    #expect(Embedding([0, 0]).normalized == Embedding([0, 0]))
  }

  @Test func `embeddings of different lengths have no distance`() {
    #expect(throws: ModelError(.input, .wrongCount(expected: 2, actual: 1))) {
      try Embedding([1, 2]).distance(to: Embedding([1]))
    }
  }

  @Test(arguments: [(true, [0.6, 0.8]), (false, [3, 4])] as [(Bool, [Float])])
  func `a bundle says whether embeddings have a length of one`(
    normalizes: Bool, expected: [Float]
  ) throws {
    let bundle = try TestBundle(
      outputs: #"{"name": "e", "type": "array", "shape": [2], "role": "embedding"}"#,
      extra: #""task": {"type": "embedding", "normalize": \#(normalizes), "threshold": 0.5}"#)
    let model = try bundle.open(.pair)
    let reader = try EmbeddingDecoder(model)
    let embedding = try reader.decode(model.run([3, 4] as [Float]))
    #expect(embedding == Embedding(expected))
    let near = try reader.options.compare(Embedding([0, 0]), Embedding([0, 0.5]))
    #expect(isClose(near.distance, to: 0.5, within: 1e-6) && near.isMatch == true)
    #expect(try reader.options.compare(Embedding([0]), Embedding([1])).isMatch == false)
  }
}

@Suite struct GalleryTests {
  private func gallery(_ entries: [(String, Float)]) -> InMemoryGallery {
    var gallery = InMemoryGallery()
    for (name, place) in entries { gallery.enroll(Embedding([place]), as: name) }
    return gallery
  }

  private func options(_ threshold: Double?) -> EmbeddingOptions {
    var options = EmbeddingOptions()
    options.threshold = threshold
    return options
  }

  @Test func `the name that most of the nearest have is recognised`() throws {
    let gallery = gallery([("ann", 0), ("bob", 1), ("bob", 2), ("ann", 9)])
    let found = try gallery.recognize(Embedding([0.25]), neighbors: 3, options(nil))
    #expect(found.name == "bob" && found.votes == 2 && found.distance == 0.75)
    let nearest = try gallery.recognize(Embedding([0.25]), neighbors: 1, options(nil))
    #expect(nearest.name == "ann" && nearest.distance == 0.25)
  }

  @Test func `of as many votes the nearest counts`() throws {
    let gallery = gallery([("ann", 3), ("bob", 1)])
    #expect(try gallery.recognize(Embedding([0]), options(nil)).name == "bob")
  }

  @Test func `who is too far is a stranger, and has no vote`() throws {
    let gallery = gallery([("ann", 0), ("bob", 2), ("bob", 3)])
    #expect(try gallery.recognize(Embedding([0.5]), options(1)).name == "ann")
    let stranger = try gallery.recognize(Embedding([9]), options(1))
    #expect(stranger.name == nil && stranger.votes == 0 && stranger.distance == 6)
    #expect(try InMemoryGallery().recognize(Embedding([9]), options(1)).name == nil)
  }

  @Test func `who is removed is a stranger again`() throws {
    var gallery = gallery([("ann", 0), ("ann", 1), ("bob", 2)])
    #expect(gallery.remove("ann") == 2 && gallery.remove("ann") == 0)
    #expect(gallery.entries.map(\.name) == ["bob"])
  }
}
