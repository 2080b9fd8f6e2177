import Foundation
import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// The routes for a model's description, samples and preprocessed inputs.
@Suite struct StudioModelTests {
  private func file(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: path)))
  }

  private func sample(_ name: String) throws -> [UInt8] {
    try file(StudioHarness.bundle("digits") + "/samples/\(name)")
  }

  @Test func `The description is the file's bytes`() throws {
    let harness = try StudioHarness()
    let response = try harness.get("/models/digits/description")
    #expect(response.headers["Content-Type"] == "application/json")
    #expect(response.body == (try file(StudioHarness.bundle("digits") + "/model.json")))
  }

  @Test func `A card is a tree of elements, in which HTML is text`() throws {
    let bundle = try TestBundle()
    try bundle.write(
      Array("# <b>\n<script>alert(1)</script> [a](javascript:b)".utf8), to: "CARD.md")
    let response = try StudioHarness([bundle.path]).get("/models/test/card")
    #expect(response.status == .ok)
    let card = """
      "card":[["h2",{},"<b>"],["p",{},"<script>alert(1)</script> ",\
      ["span",{"class":"link-text","title":"javascript:b"},"a"]]]
      """
    #expect(response.text.contains(card))
    #expect(try response.json()["details"]?.array != nil)
  }

  @Test func `A bundle without a card has details`() throws {
    let bundle = try TestBundle()
    let harness = try StudioHarness([bundle.path, StudioHarness.bundle("diabetes")])
    #expect(try harness.json("/models/test/card")["card"] == .null)
    let details = try harness.json("/models/diabetes/card")["details"]?[0]?.string
    #expect(details?.hasPrefix("Predicts the progression of diabetes") == true)
  }

  @Test(arguments: [
    "/models/unknown/card", "/models/unknown/description", "/models/unknown/samples",
    "/models/unknown/samples/a.png", "/models/unknown/text-inputs",
    "/models/digits/samples/nothing.png", "/models/digits/samples/model.json",
    "/models/digits/samples/model.tflite",
  ])
  func `Other files of a bundle are not found`(_ path: String) throws {
    let response = try StudioHarness().get(path)
    #expect(response.status == .notFound && response.code == "not-found")
  }

  @Test func `The inputs whose tensors hold strings are listed`() throws {
    let bundle = try TestBundle()
    let model = ProjectFiles.path("Tests/Fixtures/Models/gather-string.tflite")
    try bundle.write(file(model), to: "model.tflite")
    let harness = try StudioHarness([bundle.path, StudioHarness.bundle("diabetes")])
    #expect(try harness.json("/models/test/text-inputs").array?.map(\.string) == ["x"])
    #expect(try harness.json("/models/diabetes/text-inputs").array?.isEmpty == true)
  }

  @Test func `Samples are listed with their addresses`() throws {
    let harness = try StudioHarness()
    let samples = try #require(try harness.json("/models/digits/samples").array)
    #expect(!samples.isEmpty)
    for sample in samples {
      let name = try #require(sample["name"]?.string)
      let url = try #require(sample["url"]?.string)
      let response = try harness.get(String(url.dropFirst("/studio/api".count)))
      #expect(response.headers["Content-Type"] == sample["type"]?.string)
      #expect(response.body == (try self.sample(name)))
    }
    let numbers = try harness.json("/models/diabetes/samples")
    #expect(numbers[0]?["type"]?.string == "application/json")
  }

  @Test func `A chain has samples of its own, or those of its first part if both take the same`()
    throws
  {
    let folder = try TemporaryFolder()
    for name in ["style-predict.tiobundle", "style-transform.tiobundle", "style.tiochain"] {
      try folder.copy(ProjectFiles.path("Examples/Bundles/\(name)"), as: name)
    }
    let chain = "\(folder.path)/style.tiochain"
    func samples() throws -> [String] {
      try StudioHarness([chain]).json("/models/style/samples").array?
        .compactMap { $0["name"]?.string } ?? []
    }
    #expect(try samples() == ["temple-waves.json"])
    let harness = try StudioHarness([chain])
    let sample = try harness.json("/models/style/samples/temple-waves.json")
    #expect(sample["photograph"]?.string?.hasPrefix("base64:") == true && sample["style"] != nil)
    try FileManager.default.removeItem(atPath: chain + "/samples")
    #expect(try samples().isEmpty, "the samples of a part have other inputs")
    let faces = try StudioHarness([ProjectFiles.path("Examples/Bundles/faces.tiochain")])
    #expect(try faces.json("/models/faces/samples").array?.count == 3)
  }

  @Test func `Datasets that do not fit a model have the reason`() throws {
    let topics = StudioHarness.data("topics-held-out.csv")
    let harness = try StudioHarness(
      [StudioHarness.bundle("digits"), StudioHarness.bundle("topics")],
      data: [StudioHarness.heldOut, topics, StudioHarness.data("shapes-held-out")])
    func errors(_ model: String) throws -> [String?] {
      try #require(try harness.json("/models/\(model)/datasets").array).map { $0["error"]?.string }
    }
    let digits = try errors("digits")
    #expect(digits[0] == nil)
    #expect(digits[1]?.contains("no layer is named 'message'") == true)
    #expect(digits[2]?.contains("unknown label 'circle'") == true)
    let others = try errors("topics")
    #expect(others[0] != nil && others[1] == nil && others[2] != nil)
    #expect(try harness.json("/models/digits/datasets")[0]?["image_count"]?.number == 360)
    #expect(try harness.get("/models/unknown/datasets").status == .notFound)
  }

  @Test func `Files that are not samples are never served`() throws {
    let bundle = try TestBundle()
    let secret = try TemporaryFolder()
    try secret.write("secret", to: "secret.png")
    try bundle.write([1], to: "samples/.hidden.png")
    try bundle.write([2], to: "samples/two words & more?.png")
    try FileManager.default.createSymbolicLink(
      atPath: bundle.path + "/samples/link.png", withDestinationPath: secret.path + "/secret.png")
    let harness = try StudioHarness([bundle.path])
    for name in ["page.html", "script.js", "style.css", "drawing.svg", "model.tflite"] {
      try bundle.write([3], to: "samples/\(name)")
      #expect(try harness.get("/models/test/samples/\(name)").status == .notFound, "\(name)")
    }
    for name in ["link.png", ".hidden.png", "%2e%2e%5cmodel.json"] {
      #expect(try harness.get("/models/test/samples/\(name)").status == .notFound, "\(name)")
    }
    for name in ["../model.json", "..%2Fmodel.json", "%2e%2e/model.json", "a%00.png"] {
      #expect(RequestTarget("/studio/api/models/test/samples/\(name)") == nil, "\(name)")
    }
    let samples = try harness.json("/models/test/samples")
    #expect(samples.array?.count == 1)
    let odd = try #require(samples.array?.first { $0["name"]?.string == "two words & more?.png" })
    let url = try #require(odd["url"]?.string)
    #expect(try harness.get(String(url.dropFirst("/studio/api".count))).body == [2])
  }

  @Test func `The preprocessed input is returned with its channels`() throws {
    let harness = try StudioHarness([
      StudioHarness.bundle("negative"), StudioHarness.bundle("digits"),
    ])
    let image = try sample("3-1.png")
    let digits = try harness.send(.post, "/models/digits/preprocess", body: image).json()
    let input = try #require(digits["inputs"]?[0])
    #expect(input["width"]?.number == 32 && input["height"]?.number == 32)
    #expect(input["channels"]?.array?.compactMap { $0["name"]?.string } == ["gray"])
    let range = try #require(input["range"]?.numbers)
    #expect(range.count == 2 && range[0] < range[1])
    #expect(try decoded(input["image"]).width == 32)
    #expect(input["transform"]?["to_image"]?["a"]?.number != nil)
    let negative = try harness.send(.post, "/models/negative/preprocess", body: image).json()
    let channels = try #require(negative["inputs"]?[0]?["channels"]?.array)
    #expect(channels.compactMap { $0["name"]?.string } == ["red", "green", "blue"])
    for channel in channels { #expect(try decoded(channel["image"]).format == .gray) }
  }

  private func decoded(_ node: JSONTree?) throws -> ImageBuffer {
    let text = try #require(node?.string)
    let data = try #require(Data(base64Encoded: text))
    return try ImageBuffer(decoding: Array(data))
  }

  @Test(arguments: [[], Array("no image".utf8), [0xFF, 0xD8, 0xFF, 0xE0, 0, 1]] as [[UInt8]])
  func `A body that is not an image is rejected`(_ body: [UInt8]) throws {
    let response = try StudioHarness().send(.post, "/models/digits/preprocess", body: body)
    #expect(response.status == .unprocessableContent, "\(response.text)")
  }

  @Test func `Preprocessing reserves memory that predictions share`() throws {
    let budget = MemoryBudget(byteCount: 1 << 20)
    var limits = PredictionLimits(memory: budget)
    limits.memoryTimeout = .milliseconds(20)
    let harness = try StudioHarness(limits: limits)
    let image = try sample("3-1.png")
    #expect(budget.reserve(budget.byteCount, isBackground: false, until: .now))
    let response = try harness.send(.post, "/models/digits/preprocess", body: image)
    #expect(response.status == .tooManyRequests && response.code == "memory-exhausted")
    budget.release(budget.byteCount, isBackground: false)
    #expect(try harness.send(.post, "/models/digits/preprocess", body: image).status == .ok)
    #expect(budget.usedBytes == 0)
  }

  @Test func `Images with too many pixels are rejected`() throws {
    let harness = try StudioHarness(limits: PredictionLimits(maxPixels: 10))
    let image = try sample("3-1.png")
    let response = try harness.send(.post, "/models/digits/preprocess", body: image)
    #expect(response.status == .contentTooLarge && response.code == "image-too-large")
    let upload = try harness.upload("3/1.png", image, to: harness.createEvaluation(of: "digits"))
    #expect(upload.status == .contentTooLarge && upload.code == "image-too-large")
  }

  @Test func `A model without image inputs has no preprocessed images`() throws {
    let response = try StudioHarness().send(
      .post, "/models/diabetes/preprocess", body: sample("3-1.png"))
    #expect(try response.json()["inputs"]?.array == [])
  }
}
