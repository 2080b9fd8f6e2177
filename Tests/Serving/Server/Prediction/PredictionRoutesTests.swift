import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

@Suite struct PredictionRoutesTests {
  @Test func `The server reports its name and version`() throws {
    let tree = try PredictionHarness().get("/v2").json()
    #expect(tree["name"]?.string == "tensorio")
    #expect(tree["version"]?.string == "1.2.3")
  }

  @Test func `A draining server is live and not ready`() throws {
    let status = ServerStatus()
    let harness = try PredictionHarness(status: status)
    #expect(try harness.get("/v2/health/live").text == "{\"live\":true}\n")
    let ready = try harness.get("/v2/health/ready")
    #expect(ready.status == .ok)
    #expect(
      ready.text == #"{"ready":true,"isolation":"none","models_ready":0,"failed":["broken"]}"#
        + "\n")
    status.advance(to: .draining)
    #expect(try harness.get("/v2/health/live").status == .ok)
    #expect(try harness.get("/v2/health/ready").status == .serviceUnavailable)
  }

  @Test(arguments: Isolation.Level.allCases)
  func `The readiness route reports the isolation level`(
    _ level: Isolation.Level
  ) throws {
    let ready = try PredictionHarness(isolation: level).get("/v2/health/ready").json()
    #expect(ready["isolation"]?.string == level.rawValue)
  }

  @Test(arguments: [
    ("crashing", "worker-crashed", "1"), ("suspended", "model-suspended", "60"),
  ])
  func `A crashed or suspended model is unavailable until Retry-After`(
    _ model: String, _ code: String, _ seconds: String
  ) throws {
    let harness = try PredictionHarness()
    for _ in 0..<2 {
      let response = try harness.predict(model, json: "[1, 2]")
      #expect(response.status == .serviceUnavailable)
      #expect(try response.code() == code)
      #expect(response.headers["Retry-After"] == seconds)
      #expect(!response.text.contains("secret"))
    }
  }

  @Test func `Opening a model is retried immediately after a worker process crashed`() throws {
    let harness = try PredictionHarness()
    #expect(try harness.predict("crashing-once", json: "[1, 2]").status == .serviceUnavailable)
    #expect(try harness.predict("crashing-once", json: "[1, 2]").status == .ok)
  }

  @Test func `The list of models contains states and no paths`() throws {
    let harness = try PredictionHarness()
    _ = try harness.predict("pair", json: "[1, 2]")
    _ = try harness.predict("rejected", json: "[1, 2]")
    let response = try harness.get("/v2/models")
    let models = try response.json()["models"]?.array ?? []
    let states = Dictionary(
      uniqueKeysWithValues: models.compactMap { model in
        model["name"]?.string.map { ($0, model["state"]?.string) }
      })
    #expect(states["pair"] == "ready")
    #expect(states["sum"] == "unloaded")
    #expect(states["broken"] == "failed")
    #expect(states["rejected"] == "failed")
    #expect(!response.text.contains("secret"))
  }

  @Test func `The metadata of a model describes its inputs and outputs`() throws {
    let harness = try PredictionHarness()
    let metadata = try harness.get("/v2/models/image").json()
    #expect(metadata["name"]?.string == "image")
    #expect(metadata["title"]?.string == "Test")
    #expect(metadata["card"] == .null)
    #expect(metadata["inputs"]?[0]?["format"]?.string == "rgb")
    #expect(metadata["inputs"]?[0]?["declared_shape"]?.numbers == [1, 2, 3])
    #expect(metadata["inputs"]?[0]?["shape"]?.numbers == [-1, 1, 2, 3])
    #expect(metadata["inputs"]?[0]?["datatype"]?.string == "UINT8")
    #expect(metadata["platform"]?.string == "tensorio_tflite")
    #expect(metadata["versions"]?.array?.map(\.string) == ["1"])
    #expect(metadata["outputs"]?[0]?["label_count"]?.number == 6)
    let sum = try harness.get("/v2/models/sum").json()
    #expect(sum["inputs"]?[0]?["features"]?.array?.map(\.string) == ["width", "height"])
    #expect(sum["inputs"]?[1]?["features"] == nil)
    let tokens = try harness.get("/v2/models/tokens").json()
    #expect(tokens["inputs"]?[0]?["shape"]?.numbers == [-1, -1])
    // The inputs of the model's state are optional and therefore not listed.
    let counter = try harness.get("/v2/models/counter").json()
    #expect(counter["inputs"]?.array?.compactMap { $0["name"]?.string } == ["x"])
    #expect(try harness.get("/v2/models/broken").code() == "missing-file")
    #expect(try harness.get("/v2/models/nothing").status == .notFound)
  }
}
