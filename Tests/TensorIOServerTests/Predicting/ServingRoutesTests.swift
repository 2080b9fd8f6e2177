@testable import TensorIOServer
import TensorIOTestSupport
import Testing

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
    #expect(try shop.get("/v2/health/ready").text == "{\"ready\":true}\n")
    status.advance(to: .draining)
    #expect(try shop.get("/v2/health/live").status == .ok)
    #expect(try shop.get("/v2/health/ready").status == .unavailable)
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
