import TensorIOCore
import Testing

@testable import TensorIOBundle
@testable import TensorIOLiteRT

/// String tensors, with a model that swaps two strings.
@Suite struct StringTests {
  private func swapped(_ strings: [String], in session: any Session) throws -> [String] {
    try session.fill(0, strings: strings.map { Array($0.utf8) })
    try session.invoke()
    return try session.readStrings(0).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `Strings of any length are passed through the model`() throws {
    let session = try TinyModel(name: "gather-string").session()
    for pair in [
      ["abc", "defgh"], ["", ""], ["", "ü"], [String(repeating: "x", count: 1 << 20), "y"],
    ] {
      #expect(try swapped(pair, in: session) == pair.reversed())
    }
  }

  @Test func `The total length of the strings of a tensor is limited`() {
    // The elements share one array, so that the test needs little memory.
    let string = [UInt8](repeating: 0x61, count: 1 << 20)
    #expect(PackedStrings.byteCount(of: Array(repeating: string, count: 1000)) != nil)
    #expect(PackedStrings.byteCount(of: Array(repeating: string, count: 1025)) == nil)
  }

  @Test func `Inputs that were not filled are empty strings`() throws {
    let session = try TinyModel(name: "gather-string").session()
    try session.invoke()
    #expect(try session.readStrings(0) == [[], []])
  }

  @Test func `A wrong number of strings is rejected`() throws {
    let session = try TinyModel(name: "gather-string").session()
    for count in [0, 1, 3] {
      #expect(throws: ModelError(.input, .wrongCount(expected: 2, actual: count))) {
        try session.fill(0, strings: Array(repeating: [65], count: count))
      }
    }
    #expect(try swapped(["a", "b"], in: session) == ["b", "a"])
  }

  @Test func `An output that exceeds its buffer is an error of the run`() throws {
    let session = try TinyModel(name: "gather-string").session()
    let long = [UInt8](repeating: 65, count: StringBuffer.outputCapacity)
    try session.fill(0, strings: [long, []])
    let error = #expect(throws: ModelError.self) { try session.invoke() }
    #expect(error?.stage == .run)
    #expect(try swapped(["a", "b"], in: session) == ["b", "a"])
  }

  @Test func `Strings and numbers cannot be used for each other`() throws {
    let strings = try TinyModel(name: "gather-string").session()
    #expect(throws: ModelError.self) { try strings.fill(0) { (_) throws(ModelError) in } }
    #expect(throws: ModelError.self) { try strings.read(0) { (_, _) throws(ModelError) in } }
    let numbers = try TinyModel(name: "double-float32").session()
    #expect(throws: ModelError.self) { try numbers.fill(0, strings: [[65]]) }
    #expect(throws: ModelError.self) { try numbers.readStrings(0) }
  }

  @Test func `Packed strings with invalid offsets are rejected`() {
    func unpack(_ words: [Int32]) -> [[UInt8]]? {
      unsafe words.withUnsafeBytes { unsafe PackedStrings.unpack($0) }
    }
    #expect(unpack([0, 8]) == [])
    #expect(unpack([1, 12, 16, 0x41414141]) == [[65, 65, 65, 65]])
    for words: [Int32] in [
      [], [0], [-1, 8, 8], [.max, 8, 8], [1, 12], [1, 12, 17, 0], [1, 13, 12, 0], [1, -4, 12, 0],
      [1, 12, .min, 0], [2, 16, 16, .max],
    ] {
      #expect(unpack(words) == nil, "\(words)")
    }
  }
}
