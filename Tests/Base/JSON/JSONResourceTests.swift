import Testing

@testable import TensorIOJSON

/// Texts crafted to consume resources. Costs are measured as entries and bytes, not as time.
@Suite struct JSONResourceTests {
  @Test func `Nested arrays are rejected at the depth limit`() {
    let error = #expect(throws: JSONError.self) {
      try JSONDocument(parsing: Array(repeating: UInt8(ascii: "["), count: 100_000))
    }
    #expect(error?.position.offset == JSONLimits.maxDepth)
  }

  @Test(arguments: [16, 32, 63])
  func `A megabyte of nested arrays takes one entry per array`(depth: Int) throws {
    let nest = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    let count = 1_000_000 / (nest.count + 1)
    let text = "[" + Array(repeating: nest, count: count).joined(separator: ",") + "]"
    let document = try JSONDocument(parsing: Array(text.utf8))
    #expect(document.tape.entries.count == depth * count + 1)
  }

  @Test func `An entry takes sixteen bytes`() {
    #expect(MemoryLayout<JSONEntry>.stride == 16)
  }

  @Test func `A duplicate among a hundred thousand keys is found`() throws {
    let members = (0..<100_000).map { "\"k\($0)\":1" }
    let text = "{" + members.joined(separator: ",") + "}"
    let limits = JSONLimits(bytes: 4 << 20)
    let document = try JSONDocument(parsing: Array(text.utf8), limits: limits)
    #expect(document.root.count == 100_000)
    let duplicated = text.dropLast() + ",\"k77\":2}"
    let error = #expect(throws: JSONError.self) {
      try JSONDocument(parsing: Array(duplicated.utf8), limits: limits)
    }
    #expect(error?.code == .duplicateKey)
    #expect(error?.position.offset == text.utf8.count)
  }

  @Test func `A number with a million digits overflows`() {
    let error = #expect(throws: JSONError.self) {
      try JSONDocument(parsing: Array(repeating: UInt8(ascii: "7"), count: 1_000_000))
    }
    #expect(error?.code == .numberOverflow)
  }

  @Test func `A string of ten megabytes is one entry`() throws {
    let text = "\"" + String(repeating: "x", count: 10_000_000) + "\""
    let limits = JSONLimits(bytes: 11_000_000)
    let document = try JSONDocument(parsing: Array(text.utf8), limits: limits)
    #expect(document.tape.entries.count == 1)
    #expect(document.root.string?.utf8.count == 10_000_000)
    let error = #expect(throws: JSONError.self) {
      try JSONDocument(parsing: Array(text.utf8))
    }
    #expect(error?.code == .tooLarge)
  }
}
