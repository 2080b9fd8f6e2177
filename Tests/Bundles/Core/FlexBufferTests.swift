import TensorIOCore
import Testing

@Suite struct FlexBufferTests {
  /// `{"a": 300, "b": 2.5, "c": "text", "d": [1, -2, 3], "e": True, "f": [1, "x", {"g": 0.5}]}`,
  /// written by the `flatbuffers` package for Python.
  private let sample: [UInt8] = [
    97, 0, 98, 0, 99, 0, 4, 116, 101, 120, 116, 0, 100, 0, 3, 1, 254, 3, 4, 4, 4, 101, 0, 102, 0,
    1, 120, 0, 103, 0, 1, 3, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 63, 14, 3, 1, 25, 8, 4,
    20, 38, 6, 57, 56, 55, 48, 40, 39, 0, 7, 0, 0, 0, 1, 0, 0, 0, 6, 0, 0, 0, 44, 1, 0, 0, 0, 0,
    32, 64, 77, 0, 0, 0, 73, 0, 0, 0, 1, 0, 0, 0, 46, 0, 0, 0, 6, 14, 20, 40, 106, 40, 30, 38, 1,
  ]

  @Test func `Values of a map are read by their keys`() throws {
    let root = try #require(FlexBufferValue(root: sample))
    #expect(root.count == 6)
    #expect(root["a"]?.integer == 300)
    #expect(root["a"]?.double == 300)
    #expect(root["b"]?.double == 2.5)
    #expect(root["b"]?.integer == 2)
    #expect(root["c"]?.string == "text")
    #expect((0..<3).map { root["d"]?[$0]?.integer } == [1, -2, 3])
    #expect(root["d"]?[3] == nil)
    #expect(root["e"]?.bool == true)
    #expect(root["f"]?[0]?.integer == 1)
    #expect(root["f"]?[1]?.string == "x")
    #expect(root["f"]?[2]?["g"]?.double == 0.5)
    #expect(root["missing"] == nil)
    #expect(root["a"]?.string == nil)
    #expect(root["c"]?.integer == nil)
  }

  @Test func `Bytes that are no FlexBuffer are rejected`() {
    #expect(FlexBufferValue(root: []) == nil)
    #expect(FlexBufferValue(root: [1, 2, 3]) == nil)
    #expect(FlexBufferValue(root: [4, 8]) == nil)
  }

  /// Reads everything that a value refers to.
  private func visit(_ value: FlexBufferValue, depth: Int = 0) {
    _ = (value.integer, value.double, value.bool, value.string, value.blob, value["a"])
    guard depth < 4 else { return }
    for index in 0..<min(value.count, 8) {
      if let element = value[index] { visit(element, depth: depth + 1) }
    }
  }

  @Test func `Changed and truncated bytes are read without a crash`() throws {
    for position in sample.indices {
      for byte: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
        var changed = sample
        changed[position] = byte
        if let root = FlexBufferValue(root: changed) { visit(root) }
      }
      if let root = FlexBufferValue(root: Array(sample[position...])) { visit(root) }
    }
  }
}
