import TensorIOCore
import TensorIOTestSupport
import Testing
@testable import TensorIOBundle
@testable import TensorIOData

@Suite struct LabelledFolderTests {
  @Test func `pictures come with the index of their folder's label`() throws {
    let folder = try TemporaryFolder()
    let dog = try folder.draw("dog/b.PNG")
    try folder.draw("cat/c.png")
    try folder.draw("dog/a.png")
    try folder.write("x", to: "dog/.hidden.png")
    let data = try ExampleDataset(
      at: folder.path, for: [.picture, .label], labels: ["cat", "cow", "dog"])
    #expect((0..<data.count).map(data.name) == ["cat/c.png", "dog/a.png", "dog/b.PNG"])
    #expect(data.warnings.isEmpty && data.labels == ["cat", "cow", "dog"])
    #expect(data.keys == ["image", "label"])
    let item = try data.values(at: 2)
    #expect(item["label"] == 2.layerValue)
    #expect(item["image"] == .bytes(try bytes(of: dog)))
  }

  @Test func `without known labels, folders are numbered in byte order`() throws {
    let folder = try TemporaryFolder()
    for name in ["b", "a", "B"] { try folder.draw("\(name)/x.png") }
    let data = try ExampleDataset(at: folder.path, for: [.label, .picture])
    #expect(data.labels == ["B", "a", "b"])
    #expect(try data.values(at: 1)["label"] == 1.layerValue)
  }

  @Test func `a layer of as many numbers as there are labels gets a one among zeros`() throws {
    let folder = try TemporaryFolder()
    try folder.draw("b/x.png")
    let data = try ExampleDataset(
      at: folder.path, for: [.picture, .numbers("truth", 3)], labels: ["a", "b", "c"])
    #expect(try data.values(at: 0)["truth"] == [0, 1, 0].map(Float.init).layerValue)
  }

  @Test func `a single label tells nothing apart`() throws {
    let folder = try TemporaryFolder()
    for name in ["cat", "dog"] { try folder.draw("\(name)/x.png") }
    let data = try ExampleDataset(at: folder.path, for: [.picture, .label], labels: ["dog"])
    #expect(data.labels == ["cat", "dog"])
  }

  @Test func `all that is wrong is told at once`() throws {
    let folder = try TemporaryFolder()
    try folder.write("no picture", to: "cat/a.png")
    try folder.write("", to: "cat/b.png")
    try folder.draw("dgo/a.png")
    try folder.draw("lost.png")
    #expect(
      problems(folder.path, [.picture, .label], ["cat", "dog"]) == [
        "unlabelled-picture lost.png", "unknown-picture-format cat/a.png",
        "unknown-picture-format cat/b.png", "unknown-label dgo",
      ])
  }

  @Test func `a misspelt folder has a suggestion`() throws {
    let folder = try TemporaryFolder()
    try folder.draw("dgo/a.png")
    let error = #expect(throws: ModelError.self) {
      _ = try ExampleDataset(at: folder.path, for: [.picture, .label], labels: ["cat", "dog"])
    }
    #expect(
      error?.description
        == "\(folder.path): dgo: There is no label 'dgo'; did you mean 'dog'?")
    #expect(error?.code == "unknown-label" && error?.stage == .input)
  }

  @Test func `other files are left out with a warning`() throws {
    let folder = try TemporaryFolder()
    try folder.draw("cat/a.png")
    try folder.write("", to: "notes.txt")
    try folder.write("", to: "cat/Thumbs.db")
    try folder.draw("cat/more/a.png")
    let data = try ExampleDataset(at: folder.path, for: [.picture, .label])
    #expect(data.count == 1)
    #expect(data.warnings.map(\.path) == ["notes.txt", "cat/Thumbs.db", "cat/more"])
    #expect(data.warnings.allSatisfy { $0.code == "stray-file" && $0.severity == .warning })
  }

  @Test func `a folder without pictures holds no examples`() throws {
    let folder = try TemporaryFolder()
    #expect(problems(folder.path, [.picture, .label]) == ["empty-data"])
  }

  @Test(arguments: [[Layer.picture], [.numbers("x", 2), .label], [.picture, .label, .label]])
  func `a folder gives one picture and one label`(_ layers: [Layer]) throws {
    let folder = try TemporaryFolder()
    #expect(problems(folder.path, layers) == ["wrong-type"])
  }

  @Test func `so many problems are listed and no more`() throws {
    let folder = try TemporaryFolder()
    for number in 0..<ExampleDataset.maxDiagnostics + 5 { try folder.write("", to: "cat/\(number).png") }
    let found = problems(folder.path, [.picture, .label])
    #expect(found.count == ExampleDataset.maxDiagnostics + 1 && found.last == "too-many-problems")
  }

  @Test func `a picture that is gone since is an error of its item`() throws {
    let folder = try TemporaryFolder()
    try folder.draw("cat/a.png")
    let data = try ExampleDataset(at: folder.path, for: [.picture, .label])
    try folder.remove("cat/a.png")
    let error = #expect(throws: ModelError.self) { _ = try data.values(at: 0) }
    #expect(error?.code == "missing-file" && error?.item == 0)
  }
}
