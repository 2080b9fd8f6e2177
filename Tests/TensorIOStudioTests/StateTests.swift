import Foundation
import TensorIOServer
import TensorIOTestSupport
import Testing
@testable import TensorIOCommand
@testable import TensorIOStudio

/// What the page is told of models, data and settings.
@Suite struct StateTests {
  @Test func `the state names models, data and what is chosen`() throws {
    let bench = try StudioBench(data: [StudioBench.heldOut, StudioBench.heldOut + "/"])
    let state = try bench.json("/state")
    #expect(state["models"]?.array?.compactMap { $0["name"]?.string } == ["digits", "diabetes"])
    #expect(state["models"]?[0]?["task"]?.string == "image.classification.digits")
    #expect(state["models"]?[0]?["backend"]?.string == "tflite")
    #expect(state["models"]?[0]?["broken"] == .null && state["default"] == .null)
    #expect(
      state["data"]?[0] == .object(["name": .string("digits-held-out"), "count": .number(360)]))
    #expect(state["data"]?[1]?["name"]?.string == "digits-held-out-2")
    #expect(state["threads"]?.number ?? 0 >= 1 && state["processors"]?.number ?? 0 >= 1)
    #expect(state["top"]?.number == 5 && state["version"]?.string == "0")
  }

  @Test func `a broken bundle is listed with what is wrong`() throws {
    let folder = try TemporaryFolder()
    try folder.write("{", to: "odd.tiobundle/model.json")
    let bench = try StudioBench(["\(folder.path)/odd.tiobundle", "\(folder.path)/none.tiobundle"])
    let models = try bench.json("/state")["models"]
    #expect(models?[0]?["name"]?.string == "odd")
    #expect(models?[0]?["broken"]?.string?.contains("line 1") == true)
    #expect(models?[1]?["broken"]?.string == "there is no such bundle")
    #expect(try bench.get("/models/odd/description").text == "{")
    #expect(try bench.get("/models/none/description").status == .notFound)
    #expect(try bench.post("/evaluations", #"{"model": "odd"}"#).status == .unprocessableContent)
  }

  @Test func `what is chosen holds, and is remembered`() throws {
    let bench = try StudioBench()
    try FileManager.default.createDirectory(
      atPath: "\(bench.home.path)/models", withIntermediateDirectories: true)
    try bench.home.copy(StudioBench.bundle("digits"), as: "models/digits.tiobundle")
    _ = try bench.catalogue.model(named: "digits")
    #expect(bench.catalogue.statuses[0].state == .ready)
    let body = Array(#"{"threads": 3, "top": 2, "default": "digits"}"#.utf8)
    let state = try bench.ask(.put, "/settings", body: body).json()
    #expect(state["threads"]?.number == 3 && state["top"]?.number == 2)
    #expect(state["default"]?.string == "digits")
    let kept = try Settings(bench.console)
    #expect(kept.threads == 3 && kept.top == 2 && kept.defaultModel == "digits")
    #expect(bench.catalogue.statuses.allSatisfy { $0.state == .unloaded }, "they are opened again")
    let cleared = try bench.ask(.put, "/settings", body: Array(#"{"default": null}"#.utf8)).json()
    #expect(cleared["default"] == .null && cleared["threads"]?.number == 3)
    #expect(try Settings(bench.console).defaultModel == nil)
  }

  @Test(arguments: [
    "", "[]", "{", #"{"threads": 0}"#, #"{"threads": 1.5}"#, #"{"threads": "2"}"#,
    #"{"threads": 5000}"#, #"{"top": -1}"#, #"{"default": "nobody"}"#, #"{"colour": "red"}"#,
  ])
  func `what cannot be chosen changes nothing`(_ body: String) throws {
    let bench = try StudioBench()
    let before = bench.settings.current
    let answer = try bench.ask(.put, "/settings", body: Array(body.utf8))
    #expect(answer.status == .badRequest && answer.code == "bad-request")
    #expect(bench.settings.current == before)
  }
}
