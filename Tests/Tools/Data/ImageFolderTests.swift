import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOData

@Suite struct ImageFolderTests {
  @Test func `Images have the label index of their folder`() throws {
    let folder = try TemporaryFolder()
    let dog = try folder.draw("dog/b.PNG")
    try folder.draw("cat/c.png")
    try folder.draw("dog/a.png")
    try folder.write("x", to: "dog/.hidden.png")
    let data = try ExampleDataset(
      at: folder.path, for: [.image, .label], labels: ["cat", "cow", "dog"])
    #expect((0..<data.count).map(data.name) == ["cat/c.png", "dog/a.png", "dog/b.PNG"])
    #expect(data.warnings.isEmpty && data.labels == ["cat", "cow", "dog"])
    #expect(data.keys == ["image", "label"])
    let item = try data.values(at: 2)
    #expect(item["label"] == 2.layerValue)
    #expect(item["image"] == .bytes(try bytes(of: dog)))
  }

  @Test func `Without known labels, folders are numbered in byte order`() throws {
    let folder = try TemporaryFolder()
    for name in ["b", "a", "B"] { try folder.draw("\(name)/x.png") }
    let data = try ExampleDataset(at: folder.path, for: [.label, .image])
    #expect(data.labels == ["B", "a", "b"])
    #expect(try data.values(at: 1)["label"] == 1.layerValue)
  }

  @Test func `A layer with one element per label gets a one-hot vector`() throws {
    let folder = try TemporaryFolder()
    try folder.draw("b/x.png")
    let data = try ExampleDataset(
      at: folder.path, for: [.image, .numbers("truth", 3)], labels: ["a", "b", "c"])
    #expect(try data.values(at: 0)["truth"] == [0, 1, 0].map(Float.init).layerValue)
  }

  @Test func `A single known label is ignored`() throws {
    let folder = try TemporaryFolder()
    for name in ["cat", "dog"] { try folder.draw("\(name)/x.png") }
    let data = try ExampleDataset(at: folder.path, for: [.image, .label], labels: ["dog"])
    #expect(data.labels == ["cat", "dog"])
  }

  @Test func `All errors are reported together`() throws {
    let folder = try TemporaryFolder()
    try folder.write("not an image", to: "cat/a.png")
    try folder.write("", to: "cat/b.png")
    try folder.draw("dgo/a.png")
    try folder.draw("lost.png")
    #expect(
      errors(folder.path, [.image, .label], ["cat", "dog"]) == [
        "unlabeled-image lost.png", "unknown-image-format cat/a.png",
        "unknown-image-format cat/b.png", "unknown-label dgo",
      ])
  }

  @Test func `A misspelled folder gets a suggestion`() throws {
    let folder = try TemporaryFolder()
    try folder.draw("dgo/a.png")
    let error = #expect(throws: ModelError.self) {
      _ = try ExampleDataset(at: folder.path, for: [.image, .label], labels: ["cat", "dog"])
    }
    #expect(
      error?.description
        == "\(folder.path): dgo: unknown label 'dgo'; did you mean 'dog'?")
    #expect(error?.code == "unknown-label" && error?.stage == .input)
  }

  @Test func `Other files are skipped with a warning`() throws {
    let folder = try TemporaryFolder()
    try folder.draw("cat/a.png")
    try folder.write("", to: "notes.txt")
    try folder.write("", to: "cat/Thumbs.db")
    try folder.draw("cat/more/a.png")
    let data = try ExampleDataset(at: folder.path, for: [.image, .label])
    #expect(data.count == 1)
    #expect(data.warnings.map(\.path) == ["notes.txt", "cat/Thumbs.db", "cat/more"])
    #expect(data.warnings.allSatisfy { $0.code == "unexpected-file" && $0.severity == .warning })
  }

  @Test func `A folder without images is empty`() throws {
    let folder = try TemporaryFolder()
    #expect(errors(folder.path, [.image, .label]) == ["empty-data"])
  }

  @Test(arguments: [[Layer.image], [.numbers("x", 2), .label], [.image, .label, .label]])
  func `A folder provides exactly one image and one label`(_ layers: [Layer]) throws {
    let folder = try TemporaryFolder()
    #expect(errors(folder.path, layers) == ["wrong-type"])
  }

  @Test func `The list of errors is limited`() throws {
    let folder = try TemporaryFolder()
    for number in 0..<ExampleDataset.maxDiagnostics + 5 {
      try folder.write("", to: "cat/\(number).png")
    }
    let found = errors(folder.path, [.image, .label])
    #expect(
      found.count == ExampleDataset.maxDiagnostics + 1 && found.last == "too-many-diagnostics")
  }

  @Test func `An image deleted after opening is an error of its item`() throws {
    let folder = try TemporaryFolder()
    try folder.draw("cat/a.png")
    let data = try ExampleDataset(at: folder.path, for: [.image, .label])
    try folder.remove("cat/a.png")
    let error = #expect(throws: ModelError.self) { _ = try data.values(at: 0) }
    #expect(error?.code == "missing-file" && error?.item == 0)
  }
}
