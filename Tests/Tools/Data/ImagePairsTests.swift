import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOData

@Suite struct ImagePairsTests {
  @Test func `Pairs are read in the form of LFW and with paths`() throws {
    let folder = try TemporaryFolder()
    for name in ["Ada/Ada_0001.png", "Ada/Ada_0012.png", "Bob/Bob_0002.png", "c.png"] {
      try folder.draw(name)
    }
    let path = try folder.write(
      "10\t300\nAda\t1\t12\nAda 1 Bob 2\r\n\nc.png Ada/Ada_0012.png 0\n", to: "pairs.txt")
    let data = try ImagePairs(at: path)
    #expect(
      (0..<data.count).map(data.name)
        == ["Ada/Ada_0001.png", "Ada/Ada_0012.png", "Bob/Bob_0002.png", "c.png"])
    #expect(data.pairs.map { [$0.first, $0.second] } == [[0, 1], [0, 2], [3, 1]])
    #expect(data.pairs.map(\.isSameIdentity) == [true, false, false])
    #expect(data.selecting([2, 0]).pairs.map { [$0.first, $0.second] } == [[1, 0]])
    #expect(DatasetKind.kinds(of: path) == [.pairs, .sentences, .prompts])
  }

  @Test func `Invalid pairs and missing images are reported`() throws {
    let folder = try TemporaryFolder()
    try folder.draw("a.png")
    let path = try folder.write("a.png b.png 1\na.png a.png 2\na.png\n", to: "pairs.txt")
    let error = #expect(throws: ModelError.self) { try ImagePairs(at: path) }
    guard let diagnostics = error?.diagnostics(of: ModelError.invalidData) else { return }
    #expect(diagnostics.map(\.code) == ["invalid-pair", "invalid-pair", "missing-image"])
    #expect(diagnostics.map(\.line) == [2, 3, nil])
  }
}
