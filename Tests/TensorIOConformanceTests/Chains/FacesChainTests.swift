import Foundation
import TensorIO
import TensorIOImage
import TensorIOTasks
import TensorIOTestSupport
import Testing

/// The chain of the examples that finds, aligns and embeds drawn faces, on the drawn pictures.
@Suite struct FacesChainTests {
  private static let chain = ProjectFiles.path("Examples/Bundles/faces.tiochain")
  private static let embedder = "face-embedder.tiobundle"
  private let drawn: DrawnPictures

  init() throws { drawn = try DrawnPictures("faces-over-photographs") }

  /// A face of the chain: where it is, and what makes it alike.
  private struct Face {
    let box: BoundingBox
    let embedding: Embedding
  }

  private func faces(in picture: String, _ chain: Chain, _ reader: EmbeddingDecoder) throws -> [Face]
  {
    let output = try chain.run(["picture": try ImageBuffer(contentsOf: picture)])
    let embeddings = try (output.outputs["embed"] ?? []).map { try reader.decode($0) }
    let things = output.detections ?? []
    #expect(things.count == embeddings.count)
    return zip(things, embeddings).map { Face(box: $0.box, embedding: $1) }
  }

  @Test func `the known are named, and strangers are rejected`() throws {
    let chain = try Chain(at: Self.chain)
    let reader = try EmbeddingDecoder(try #require(chain.models["embed"]))
    var gallery = InMemoryGallery()
    for portrait in drawn.pictures("portraits") {
      let name = try #require(portrait.things.first).label
      let face = try #require(try faces(in: portrait.path, chain, reader).first, "\(portrait.path)")
      gallery.enroll(face.embedding, as: name)
    }
    let strangers = Set(drawn.names("strangers"))
    var (known, rejected): ([Bool], [Bool]) = ([], [])
    for group in drawn.pictures("groups") {
      let found = try faces(in: group.path, chain, reader)
      for thing in group.things {
        let face = found.max { overlap($0, thing) < overlap($1, thing) }
        let isFound = face.map { overlap($0, thing) >= 0.5 } ?? false
        let name = try face.flatMap { try gallery.recognize($0.embedding, reader.options).name }
        if strangers.contains(thing.label) {
          rejected.append(isFound && name == nil)
        } else {
          known.append(isFound && name == thing.label)
        }
      }
    }
    let bound = try Card.share("strangers", of: Self.embedder)
    print(
      "faces: \(known.count { $0 }) of \(known.count) known named, \(rejected.count { $0 }) of "
        + "\(rejected.count) strangers rejected; the card says \(bound)")
    #expect(known.count >= 10 && rejected.count >= 5)
    #expect(share(of: known) >= 0.95)
    // Of a few strangers, one more may be taken for somebody than the card's share of them.
    let allowed = ((1 - bound) * Double(rejected.count)).rounded(.up)
    #expect(Double(rejected.count { !$0 }) <= allowed)
  }

  private func overlap(_ face: Face, _ thing: DrawnPictures.Thing) -> Double {
    face.box.intersectionOverUnion(thing.box)
  }

  private func share(of told: [Bool]) -> Double {
    Double(told.count { $0 }) / Double(max(1, told.count))
  }

  // MARK: The command line

  @Test func `a gallery by the command line, from the first portrait to the last name`() throws {
    let folder = try TemporaryFolder()
    let file = "\(folder.path)/faces.sqlite"
    func gallery(_ words: String...) -> CommandResult {
      TestConsole.run(
        ["gallery"] + words + ["--gallery", file, "--bundle", Self.chain, "--format", "json"])
    }
    let people = drawn.names("people")
    for name in people {
      let outcome = gallery("enroll", name, "\(drawn.folder)/people/\(name)")
      #expect(outcome.exitCode == 0, "\(outcome)")
      #expect(try outcome.json()["enrolled"]?.number == 3)
    }
    #expect(try gallery("list").jsonLines().compactMap { $0["name"]?.string } == people)
    let group = try #require(drawn.pictures("groups").first)
    let record = try gallery("recognise", group.path).json()
    try checkNames(record["recognised"]?.array ?? [], in: group, among: people)
    let run = TestConsole.run([
      "run", Self.chain, group.path, "--gallery", file, "--format", "json", "--annotate",
      folder.path,
    ])
    #expect(run.exitCode == 0, "\(run)")
    let detections = try run.json()["outputs"]?["detections"]?.array ?? []
    try checkNames(detections, in: group, among: people)
    #expect(detections.allSatisfy { $0["embedding"]?.array?.count == 128 })
    #expect(FileManager.default.fileExists(atPath: "\(folder.path)/0000.png"))
    let portrait = "\(drawn.folder)/people/\(people[0])/0.jpg"
    #expect(gallery("verify", people[0], portrait).exitCode == 0)
    #expect(gallery("verify", people[1], portrait).exitCode == 1)
    #expect(gallery("remove", people[0]).exitCode == 0)
    #expect(gallery("verify", people[0], portrait).exitCode == 4)
    let gone = try gallery("recognise", portrait).json()["recognised"]?[0]
    #expect(gone?["name"]?.string != people[0])
  }

  /// Whoever is known and found has the right name; one of a picture may be missed.
  private func checkNames(
    _ found: [JSONTree], in picture: DrawnPictures.Picture, among people: [String]
  ) throws {
    let known = picture.things.filter { people.contains($0.label) }
    let right = known.count { thing in
      found.contains { record in
        let share = BoundingBox(record["box"])?.intersectionOverUnion(thing.box) ?? 0
        return share >= 0.5 && record["name"]?.string == thing.label
      }
    }
    #expect(!known.isEmpty && right >= known.count - 1, "\(right) of \(known.count)")
  }

  @Test func `a face has its embedding beside its box, in every format`() throws {
    let picture = try #require(drawn.pictures("groups").last).path
    let words = ["run", Self.chain, picture, "--format"]
    let detections = try TestConsole.run(words + ["json"]).json()["outputs"]?["detections"]?.array
    let faces = try #require(detections)
    #expect(!faces.isEmpty && faces.allSatisfy { $0["embedding"]?.array?.count == 128 })
    let best = try TestConsole.run(words + ["json", "--top", "1"]).json()["outputs"]
    #expect(best?["detections"]?.array == [faces[0]])
    #expect(best?.object?.keys.sorted() == ["detections"])
    let text = TestConsole.run(words + ["text"])
    #expect(text.output.contains("embedding: 128 numbers from -"), "\(text)")
    let table = TestConsole.run(words + ["csv"]).lines
    #expect(table.count { $0.contains("detections/0/embedding,") } == 128)
    let refused = TestConsole.run([
      "run", ProjectFiles.path("Examples/Bundles/\(Self.embedder)"), picture, "--gallery", "x",
    ])
    #expect(refused.exitCode == 2 && refused.firstMessageLine.contains("--gallery"), "\(refused)")
  }
}
