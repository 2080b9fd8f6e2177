import TensorIOTasks
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

@Suite struct ModelLibraryTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func add(_ path: String, name: String = "", id: String = "") throws {
    let layer = #"{"name": "x", "type": "array", "shape": [1]}"#
    let description = """
      {"name": "\(name)", "details": "", "id": "\(id)", "version": "1", "author": "",
       "license": "", "model": {"file": "m.tflite", "quantized": false, "backend": "tflite",
       "modes": ["predict"]}, "inputs": [\(layer)], "outputs": [\(layer)]}
      """
    try folder.write(description, to: path + "/model.json")
  }

  @Test func `Bundles one level deep are listed by name, ignoring case`() throws {
    try add("z.tiobundle", name: "Anchovy", id: "1")
    try add("a.tiobundle", name: "zander", id: "2")
    try add("m.tfbundle", name: "bream", id: "3")
    try add("deeper/d.tiobundle", name: "deep", id: "4")
    try add("other", name: "no bundle", id: "5")
    try folder.write("text", to: "notes.txt")
    let library = try ModelLibrary(at: folder.path)
    #expect(library.bundles.map(\.name) == ["Anchovy", "bream", "zander"])
    #expect(library.issues.isEmpty)
    #expect(library.folders == [folder.path])
  }

  @Test func `A bundle is found by folder name, name and id`() throws {
    try add("fish.v2.tiobundle", name: "Fish Finder", id: "tio:fish")
    try add("bird.tfbundle", name: "fish.v2", id: "bird")
    let library = try ModelLibrary(at: folder.path)
    for name in ["fish.v2", "fish.v2.tiobundle", "Fish Finder"] {
      #expect(try library.bundle(named: name).id == "tio:fish")
    }
    #expect(try library.bundle(named: "bird").id == "bird")
    #expect(try library.bundle(id: "bird").path == folder.path + "/bird.tfbundle")
    #expect(library.bundles(ids: ["bird", "unknown"]).map(\.id) == ["bird"])
    let error = #expect(throws: ModelError.self) { try library.bundle(named: "brid") }
    #expect(
      error?.reason == .unknownBundle("brid", known: ["fish.v2", "bird"])
        || error?.reason == .unknownBundle("brid", known: ["bird", "fish.v2"]))
    #expect(error?.message == "no bundle named 'brid'; did you mean 'bird'?")
    #expect(throws: ModelError.self) { try library.bundle(id: "fish.v2") }
  }

  @Test func `An invalid bundle is reported and does not affect others`() throws {
    try add("good.tiobundle", name: "good")
    try folder.write("{", to: "bad.tiobundle/model.json")
    try folder.write("a file", to: "file.tiobundle")
    try folder.link("loose.tiobundle", to: folder.path + "/nothing")
    let library = try ModelLibrary(at: folder.path)
    #expect(library.bundles.map(\.name) == ["good"])
    let codes = library.issues.map { issue -> String in
      guard case .loadFailed(let path, let error) = issue else { return "\(issue)" }
      return path.dropFirst(folder.path.count + 1) + " " + error.code
    }
    #expect(
      codes == [
        "bad.tiobundle unexpected-end", "file.tiobundle not-a-bundle",
        "loose.tiobundle missing-bundle",
      ])
    #expect(library.issues.allSatisfy { "\($0)".contains(folder.path) })
  }

  @Test func `Duplicate ids are reported, and the first bundle is returned`() throws {
    try add("b.tiobundle", name: "b", id: "same")
    try add("a.tiobundle", name: "a", id: "same")
    try add("c.tiobundle", name: "c")
    try add("d.tiobundle", name: "d")
    let library = try ModelLibrary(at: folder.path)
    let paths = ["a", "b"].map { "\(folder.path)/\($0).tiobundle" }
    #expect(library.issues == [.duplicateID("same", paths: paths)])
    #expect(try library.bundle(id: "same").name == "a")
    #expect(library.bundles(ids: ["same"]).map(\.name) == ["a", "b"])
    #expect("\(library.issues[0])".contains("'same'"))
  }

  @Test func `A missing folder, a file and an empty folder are errors`() throws {
    let missing = folder.path + "/missing"
    #expect(throws: ModelError(.bundle, .missingFolder, file: missing)) {
      try ModelLibrary(at: missing)
    }
    #expect(throws: ModelError(.bundle, .noBundles, file: folder.path)) {
      try ModelLibrary(at: folder.path)
    }
    let file = try folder.write("text", to: "file")
    let error = #expect(throws: ModelError.self) { try ModelLibrary(at: file) }
    #expect(error?.stage == .bundle && error?.file == file)
    #expect(throws: ModelError.self) { try ModelLibrary(at: "a\0b") }
    #expect(throws: ModelError(.bundle, .noBundles, file: "")) { try ModelLibrary(at: []) }
  }

  @Test func `Several folders are searched in order, and a missing one is reported`() throws {
    try add("one/x.tiobundle", name: "first", id: "1")
    try add("two/x.tiobundle", name: "second", id: "2")
    let folders = ["one", "missing", "two"].map { "\(folder.path)/\($0)" }
    let library = try ModelLibrary(at: folders)
    #expect(library.bundles.map(\.name) == ["first", "second"])
    #expect(
      library.issues == [
        .loadFailed(path: folders[1], ModelError(.bundle, .missingFolder, file: folders[1]))
      ])
    let path = ModelLibrary.path(ofBundleNamed: "x", in: folders)
    #expect(path == folders[0] + "/x.tiobundle")
    #expect(ModelLibrary.path(ofBundleNamed: "x.tiobundle", in: folders) == path)
    #expect(ModelLibrary.path(ofBundleNamed: "y", in: folders) == nil)
  }

  @Test(arguments: [("x", "one/x"), ("second", "two/y"), ("2", "two/y"), ("z", nil), ("a/x", nil)])
  func `An argument is the file name, name or id of a bundle, or a path`(
    argument: String, found: String?
  ) throws {
    try add("one/x.tiobundle", name: "first", id: "1")
    try add("two/y.tiobundle", name: "second", id: "2")
    let folders = ["one", "two"].map { "\(folder.path)/\($0)" }
    let path = ModelLibrary.path(for: argument, in: folders)
    #expect(path == found.map { "\(folder.path)/\($0).tiobundle" } ?? argument)
    #expect(ModelLibrary.path(for: argument, in: []) == argument)
  }

  @Test(arguments: [(nil, []), ("", []), (":", []), ("a", ["a"]), ("a::b c:", ["a", "b c"])])
  func `The environment variable lists folders`(value: String?, folders: [String]) {
    #expect(ModelLibrary.folders(in: value) == folders)
  }
}
