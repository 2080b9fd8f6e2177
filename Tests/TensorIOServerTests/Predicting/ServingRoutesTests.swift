import TensorIOCore
import TensorIOTestSupport
import Testing
@testable import TensorIOServer

@Suite struct ServingRoutesTests {
  @Test func `the server says who it is`() throws {
    let tree = try Shop().get("/v2").tree()
    #expect(tree["name"]?.string == "tensorio")
    #expect(tree["version"]?.string == "1.2.3")
  }

  @Test func `a server that ends is alive and not ready`() throws {
    let status = ServerStatus()
    let shop = try Shop(status: status)
    #expect(try shop.get("/v2/health/live").text == "{\"live\":true}\n")
    #expect(
      try shop.get("/v2/health/ready").text == "{\"ready\":true,\"isolation\":\"none\"}\n")
    status.advance(to: .draining)
    #expect(try shop.get("/v2/health/live").status == .ok)
    #expect(try shop.get("/v2/health/ready").status == .serviceUnavailable)
  }

  @Test(arguments: Isolation.Level.allCases)
  func `who watches over the server is told how models are isolated`(
    _ level: Isolation.Level
  ) throws {
    let ready = try Shop(isolation: level).get("/v2/health/ready").tree()
    #expect(ready["isolation"]?.string == level.rawValue)
  }

  @Test(arguments: [("lost", "worker-lost", "1"), ("aside", "put-aside", "60")])
  func `a model whose worker has gone can be asked again later`(
    _ model: String, _ code: String, _ seconds: String
  ) throws {
    let shop = try Shop()
    for _ in 0..<2 {
      let response = try shop.ask(model, json: "[1, 2]")
      #expect(response.status == .serviceUnavailable)
      #expect(try response.code() == code)
      #expect(response.headers["Retry-After"] == seconds)
      #expect(!response.text.contains("secret"))
    }
  }

  @Test func `an opening that a worker's end has spoilt is tried again at once`() throws {
    let shop = try Shop()
    #expect(try shop.ask("once-lost", json: "[1, 2]").status == .serviceUnavailable)
    #expect(try shop.ask("once-lost", json: "[1, 2]").status == .ok)
  }

  @Test func `the list tells which models are broken, and not where they are`() throws {
    let shop = try Shop()
    _ = try shop.ask("pair", json: "[1, 2]")
    _ = try shop.ask("refused", json: "[1, 2]")
    let response = try shop.get("/v2/models")
    let models = try response.tree()["models"]?.array ?? []
    let states = Dictionary(
      uniqueKeysWithValues: models.compactMap { model in
        model["name"]?.string.map { ($0, model["state"]?.string) }
      })
    #expect(states["pair"] == "open")
    #expect(states["sum"] == "closed")
    #expect(states["broken"] == "failed")
    #expect(states["refused"] == "failed")
    #expect(!response.text.contains("secret"))
  }

  @Test func `a card tells what goes in and what comes out`() throws {
    let shop = try Shop()
    let card = try shop.get("/v2/models/picture").tree()
    #expect(card["name"]?.string == "picture")
    #expect(card["title"]?.string == "Test")
    #expect(card["card"] == .null)
    #expect(card["inputs"]?[0]?["format"]?.string == "rgb")
    #expect(card["inputs"]?[0]?["shape"]?.numbers == [1, 2, 3])
    #expect(card["outputs"]?[0]?["labels"]?.number == 6)
    // What takes up the model's own state is not asked for.
    let counter = try shop.get("/v2/models/counter").tree()
    #expect(counter["inputs"]?.array?.compactMap { $0["name"]?.string } == ["x"])
    #expect(try shop.get("/v2/models/broken").code() == "missing-file")
    #expect(try shop.get("/v2/models/nothing").status == .notFound)
  }
}
