import Foundation
import TensorIOLibrary
import TensorIOServer
import TensorIOTestSupport
import Testing

@testable import TensorIOCommand
@testable import TensorIOStudio

/// The routes for the studio's state and settings.
@Suite struct StudioStateTests {
  @Test func `The state contains models, datasets and settings`() throws {
    let harness = try StudioHarness(data: [StudioHarness.heldOut, StudioHarness.heldOut + "/"])
    let state = try harness.json("/state")
    #expect(state["models"]?.array?.compactMap { $0["name"]?.string } == ["digits", "diabetes"])
    #expect(state["models"]?[0]?["task"]?.string == "image.classification.digits")
    #expect(state["models"]?[0]?["backend"]?.string == "tflite")
    #expect(state["models"]?[0]?["error"] == .null && state["default_model"] == .null)
    let dataset: [String: JSONTree] = [
      "name": .string("digits-held-out"), "image_count": .number(360),
    ]
    #expect(state["datasets"]?[0] == .object(dataset))
    #expect(state["datasets"]?[1]?["name"]?.string == "digits-held-out-2")
    #expect(state["threads"]?.number ?? 0 >= 1 && state["processors"]?.number ?? 0 >= 1)
    #expect(state["top"]?.number == 5 && state["version"]?.string == "0")
  }

  @Test func `Models have the types of their inputs, and chains their steps`() throws {
    let harness = try StudioHarness([
      StudioHarness.bundle("digits"), StudioHarness.bundle("tones"),
      ProjectFiles.path("Tests/Fixtures/Bundles/speech.tiobundle"),
      ProjectFiles.path("Examples/Bundles/style.tiochain"),
    ])
    let models = try #require(try harness.json("/state")["models"]?.array)
    let inputs = models.map { $0["inputs"]?.array?.compactMap(\.string) }
    #expect(inputs == [["image"], ["audio"], ["audio"], ["image", "image"]])
    #expect(models[0]["steps"]?.array?.isEmpty == true)
    #expect(
      models[3]["steps"]?.array?.compactMap(\.string) == ["image.style.predict", "style"])
    #expect(models.allSatisfy { $0["removable"]?.bool == false })
  }

  @Test func `An invalid bundle is listed with its error`() throws {
    let folder = try TemporaryFolder()
    try folder.write("{", to: "odd.tiobundle/model.json")
    let harness = try StudioHarness([
      "\(folder.path)/odd.tiobundle", "\(folder.path)/none.tiobundle",
    ])
    let models = try harness.json("/state")["models"]
    #expect(models?[0]?["name"]?.string == "odd")
    #expect(models?[0]?["error"]?.string?.contains("line 1") == true)
    #expect(models?[1]?["error"]?.string == "no such bundle")
    #expect(try harness.get("/models/odd/description").text == "{")
    #expect(try harness.get("/models/none/description").status == .notFound)
    #expect(try harness.post("/evaluations", #"{"model": "odd"}"#).status == .unprocessableContent)
  }

  @Test func `Settings take effect and are saved`() throws {
    let harness = try StudioHarness()
    try FileManager.default.createDirectory(
      atPath: "\(harness.home.path)/models", withIntermediateDirectories: true)
    try harness.home.copy(StudioHarness.bundle("digits"), as: "models/digits.tiobundle")
    _ = try harness.catalog.model(named: "digits")
    #expect(harness.catalog.statuses[0].state == .ready)
    let body = Array(#"{"threads": 3, "top": 2, "default_model": "digits"}"#.utf8)
    let state = try harness.send(.put, "/settings", body: body).json()
    #expect(state["threads"]?.number == 3 && state["top"]?.number == 2)
    #expect(state["default_model"]?.string == "digits")
    let saved = try Settings(harness.console)
    #expect(saved.threads == 3 && saved.top == 2 && saved.defaultModel == "digits")
    #expect(
      harness.catalog.statuses.allSatisfy { $0.state == .unloaded },
      "a change of threads reopens the models")
    let clearing = Array(#"{"default_model": null}"#.utf8)
    let cleared = try harness.send(.put, "/settings", body: clearing).json()
    #expect(cleared["default_model"] == .null && cleared["threads"]?.number == 3)
    #expect(try Settings(harness.console).defaultModel == nil)
  }

  @Test(arguments: [
    "", "[]", "{", #"{"threads": 0}"#, #"{"threads": 1.5}"#, #"{"threads": "2"}"#,
    #"{"threads": 5000}"#, #"{"top": -1}"#, #"{"default_model": "unknown"}"#, #"{"color": "red"}"#,
  ])
  func `Invalid settings are rejected and change nothing`(_ body: String) throws {
    let harness = try StudioHarness()
    let before = harness.settings.current
    let response = try harness.send(.put, "/settings", body: Array(body.utf8))
    #expect(response.status == .badRequest && response.code == "bad-request")
    #expect(harness.settings.current == before)
  }
}
