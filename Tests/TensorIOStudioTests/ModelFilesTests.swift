import Foundation
import TensorIOImage
import TensorIOServer
import TensorIOTestSupport
import Testing

/// What a model's bundle holds, and what the model sees.
@Suite struct ModelFilesTests {
  private func file(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: path)))
  }

  private func sample(_ name: String) throws -> [UInt8] {
    try file(StudioBench.bundle("digits") + "/samples/\(name)")
  }

  @Test func `the description is the file itself`() throws {
    let bench = try StudioBench()
    let answer = try bench.get("/models/digits/description")
    #expect(answer.headers["Content-Type"] == "application/json")
    #expect(answer.body == (try file(StudioBench.bundle("digits") + "/model.json")))
  }

  @Test(arguments: [
    "/models/nobody/description", "/models/nobody/samples", "/models/nobody/samples/a.png",
    "/models/digits/samples/nothing.png", "/models/digits/samples/model.json",
    "/models/digits/samples/model.tflite",
  ])
  func `there is nothing else`(_ path: String) throws {
    let answer = try StudioBench().get(path)
    #expect(answer.status == .notFound && answer.code == "not-found")
  }

  @Test func `samples are listed, and each has its bytes at its address`() throws {
    let bench = try StudioBench()
    let samples = try #require(try bench.json("/models/digits/samples").array)
    #expect(!samples.isEmpty)
    for sample in samples {
      let name = try #require(sample["name"]?.string)
      let url = try #require(sample["url"]?.string)
      let answer = try bench.get(String(url.dropFirst("/studio/api".count)))
      #expect(answer.headers["Content-Type"] == sample["type"]?.string)
      #expect(answer.body == (try self.sample(name)))
    }
    let numbers = try bench.json("/models/diabetes/samples")
    #expect(numbers[0]?["type"]?.string == "application/json")
  }

  @Test func `nothing outside the samples is ever given`() throws {
    let bundle = try TestBundle()
    let secret = try TemporaryFolder()
    try secret.write("secret", to: "secret.png")
    try bundle.write([1], to: "samples/.hidden.png")
    try bundle.write([2], to: "samples/two words & more?.png")
    try FileManager.default.createSymbolicLink(
      atPath: bundle.path + "/samples/link.png", withDestinationPath: secret.path + "/secret.png")
    let bench = try StudioBench([bundle.path])
    for name in ["page.html", "script.js", "style.css", "drawing.svg", "model.tflite"] {
      try bundle.write([3], to: "samples/\(name)")
      #expect(try bench.get("/models/test/samples/\(name)").status == .notFound, "\(name)")
    }
    for name in ["link.png", ".hidden.png", "%2e%2e%5cmodel.json"] {
      #expect(try bench.get("/models/test/samples/\(name)").status == .notFound, "\(name)")
    }
    for name in ["../model.json", "..%2Fmodel.json", "%2e%2e/model.json", "a%00.png"] {
      #expect(RequestTarget("/studio/api/models/test/samples/\(name)") == nil, "\(name)")
    }
    let samples = try bench.json("/models/test/samples")
    #expect(samples.array?.count == 1)
    let odd = try #require(samples.array?.first { $0["name"]?.string == "two words & more?.png" })
    let url = try #require(odd["url"]?.string)
    #expect(try bench.get(String(url.dropFirst("/studio/api".count))).body == [2])
  }

  @Test func `what a model sees is shown whole and by channel`() throws {
    let bench = try StudioBench([StudioBench.bundle("negative"), StudioBench.bundle("digits")])
    let picture = try sample("3-1.png")
    let digits = try bench.ask(.post, "/models/digits/seen", body: picture).json()
    let input = try #require(digits["inputs"]?[0])
    #expect(input["width"]?.number == 32 && input["height"]?.number == 32)
    #expect(input["channels"]?.array?.compactMap { $0["name"]?.string } == ["gray"])
    let range = try #require(input["range"]?.numbers)
    #expect(range.count == 2 && range[0] < range[1])
    #expect(try image(input["picture"]).width == 32)
    #expect(input["transform"]?["to_picture"]?["a"]?.number != nil)
    let negative = try bench.ask(.post, "/models/negative/seen", body: picture).json()
    let channels = try #require(negative["inputs"]?[0]?["channels"]?.array)
    #expect(channels.compactMap { $0["name"]?.string } == ["red", "green", "blue"])
    for channel in channels { #expect(try image(channel["picture"]).format == .gray) }
  }

  private func image(_ node: JSONTree?) throws -> ImageBuffer {
    let text = try #require(node?.string)
    let data = try #require(Data(base64Encoded: text))
    return try ImageBuffer(decoding: Array(data))
  }

  @Test(arguments: [[], Array("no picture".utf8), [0xFF, 0xD8, 0xFF, 0xE0, 0, 1]] as [[UInt8]])
  func `a body that is no picture is said to be none`(_ body: [UInt8]) throws {
    let answer = try StudioBench().ask(.post, "/models/digits/seen", body: body)
    #expect(answer.status == .unprocessableContent, "\(answer.text)")
  }

  @Test func `a model that takes no picture sees none`() throws {
    let answer = try StudioBench().ask(.post, "/models/diabetes/seen", body: try sample("3-1.png"))
    #expect(try answer.json()["inputs"]?.array == [])
  }
}
