import Foundation
import TensorIO
import TensorIOImage
import TensorIOTasks
import TensorIOTestSupport
import Testing

/// The example chain that detects, aligns and embeds drawn faces, with drawn images.
@Suite struct FacesChainTests {
  private static let chain = ProjectFiles.path("Examples/Bundles/faces.tiochain")
  private static let embedder = "face-embedder.tiobundle"
  private let drawn: DrawnImages

  init() throws { drawn = try DrawnImages("faces-over-photographs") }

  /// A face found by the chain, with its box and embedding.
  private struct Face {
    let box: BoundingBox
    let embedding: Embedding
  }

  private func faces(in inputImage: String, _ chain: Chain, _ reader: EmbeddingTask) throws
    -> [Face]
  {
    let output = try chain.run(["picture": try ImageBuffer(contentsOf: inputImage)])
    let embeddings = try (output.outputs["embed"] ?? []).map { try reader.result(of: $0) }
    let detections = output.detections ?? []
    #expect(detections.count == embeddings.count)
    return zip(detections, embeddings).map { Face(box: $0.box, embedding: $1) }
  }

  @Test func `Enrolled faces are identified, and unknown faces are rejected`() throws {
    let chain = try Chain(at: Self.chain)
    let reader = try EmbeddingTask(try #require(chain.models["embed"]))
    var gallery = InMemoryGallery()
    for portrait in drawn.images("portraits") {
      let name = try #require(portrait.objects.first).label
      let face = try #require(try faces(in: portrait.path, chain, reader).first, "\(portrait.path)")
      gallery.enroll(face.embedding, as: name)
    }
    let strangers = Set(drawn.names("strangers"))
    var (known, rejected): ([Bool], [Bool]) = ([], [])
    for group in drawn.images("groups") {
      let found = try faces(in: group.path, chain, reader)
      for object in group.objects {
        let face = found.max { overlap($0, object) < overlap($1, object) }
        let isFound = face.map { overlap($0, object) >= 0.5 } ?? false
        let name = try face.flatMap { try gallery.recognize($0.embedding, reader.options).name }
        if strangers.contains(object.label) {
          rejected.append(isFound && name == nil)
        } else {
          known.append(isFound && name == object.label)
        }
      }
    }
    let bound = try Card.share("unknown people", of: Self.embedder)
    print(
      "faces: \(known.count { $0 }) of \(known.count) enrolled faces named, "
        + "\(rejected.count { $0 }) of \(rejected.count) unknown faces rejected; "
        + "the card says \(bound)")
    #expect(known.count >= 10 && rejected.count >= 5)
    #expect(share(of: known) >= 0.95)
    // With few unknown faces, one more may be misidentified than the card's rate.
    let allowed = ((1 - bound) * Double(rejected.count)).rounded(.up)
    #expect(Double(rejected.count { !$0 }) <= allowed)
  }

  private func overlap(_ face: Face, _ object: DrawnImages.Object) -> Double {
    face.box.intersectionOverUnion(object.box)
  }

  private func share(of matches: [Bool]) -> Double {
    Double(matches.count { $0 }) / Double(max(1, matches.count))
  }

  // MARK: The command line

  @Test func `A gallery can be enrolled and searched on the command line`() throws {
    let folder = try TemporaryFolder()
    let file = "\(folder.path)/faces.sqlite"
    func gallery(_ arguments: String...) -> CommandResult {
      TestConsole.run(
        ["gallery"] + arguments + ["--gallery", file, "--bundle", Self.chain, "--format", "json"])
    }
    let people = drawn.names("people")
    for name in people {
      let outcome = gallery("enroll", name, "\(drawn.folder)/people/\(name)")
      #expect(outcome.exitCode == 0, "\(outcome)")
      #expect(try outcome.json()["enrolled"]?.number == 3)
    }
    #expect(try gallery("list").jsonLines().compactMap { $0["name"]?.string } == people)
    let group = try #require(drawn.images("groups").first)
    let record = try gallery("recognize", group.path).json()
    try checkNames(record["recognized"]?.array ?? [], in: group, among: people)
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
    let gone = try gallery("recognize", portrait).json()["recognized"]?[0]
    #expect(gone?["name"]?.string != people[0])
  }

  /// Enrolled faces that are detected have the right name; one per image may be missed.
  private func checkNames(
    _ found: [JSONTree], in inputImage: DrawnImages.Image, among people: [String]
  ) throws {
    let known = inputImage.objects.filter { people.contains($0.label) }
    let right = known.count { object in
      found.contains { record in
        let share = BoundingBox(record["box"])?.intersectionOverUnion(object.box) ?? 0
        return share >= 0.5 && record["name"]?.string == object.label
      }
    }
    #expect(!known.isEmpty && right >= known.count - 1, "\(right) of \(known.count)")
  }

  @Test func `A chain is evaluated, benchmarked by step and generated like a bundle`() throws {
    let folder = try TemporaryFolder()
    // The ground truth is what the detector and its refinement have found.
    let inputImage = try #require(drawn.images("groups").first).path
    let faces = try Chain(at: Self.chain).run(ImageBuffer(contentsOf: inputImage)).detections ?? []
    try #require(!faces.isEmpty)
    let objects = faces.enumerated().map { index, face in
      let box = [face.box.xmin, face.box.ymin, face.box.width, face.box.height]
      return
        #"{"id": \#(index), "image_id": 1, "category_id": 1, "bbox": \#(box), "area": \#(face.box.area), "iscrowd": 0}"#
    }
    try folder.write(
      """
      {"images": [{"id": 1, "file_name": "a.jpg"}], "categories": [{"id": 1, "name": "face"}],
       "annotations": [\(objects.joined(separator: ","))]}
      """, to: "data/annotations.json")
    _ = try folder.copy(inputImage, as: "data/a.jpg")
    let evaluated = TestConsole.run([
      "evaluate", Self.chain, "\(folder.path)/data", "--format", "json",
    ])
    #expect(evaluated.exitCode == 0, "\(evaluated)")
    #expect(try evaluated.json()[0]?["metrics"]?["map"]?.number == 1, "\(evaluated)")
    let measured = TestConsole.run(["benchmark", Self.chain, inputImage, "--runs", "2"])
    #expect(measured.exitCode == 0 && measured.output.contains("step_refine"), "\(measured)")
    let source = TestConsole.run(["swift", Self.chain])
    #expect(source.exitCode == 0 && source.output.contains("detections"), "\(source)")
  }

  @Test func `A face has its embedding and box in every output format`() throws {
    let inputImage = try #require(drawn.images("groups").last).path
    let arguments = ["run", Self.chain, inputImage, "--format"]
    let detections = try TestConsole.run(arguments + ["json"]).json()["outputs"]?["detections"]?
      .array
    let faces = try #require(detections)
    #expect(!faces.isEmpty && faces.allSatisfy { $0["embedding"]?.array?.count == 128 })
    let best = try TestConsole.run(arguments + ["json", "--top", "1"]).json()["outputs"]
    #expect(best?["detections"]?.array == [faces[0]])
    #expect(best?.object?.keys.sorted() == ["detections"])
    let text = TestConsole.run(arguments + ["text"])
    #expect(text.output.contains("embedding: 128 numbers from -"), "\(text)")
    let table = TestConsole.run(arguments + ["csv"]).lines
    #expect(table.count { $0.contains("detections/0/embedding,") } == 128)
    let refused = TestConsole.run([
      "run", ProjectFiles.path("Examples/Bundles/\(Self.embedder)"), inputImage, "--gallery", "x",
    ])
    #expect(refused.exitCode == 4, "\(refused)")
    #expect(refused.firstMessageLine.contains("no such gallery"))
  }
}
