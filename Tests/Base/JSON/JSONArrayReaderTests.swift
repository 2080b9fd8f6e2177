import Testing

@testable import TensorIOJSON

@Suite struct JSONArrayReaderTests {
  private func read(
    _ text: String, _ type: JSONArrayReader.ElementType
  ) throws -> (elements: JSONArrayReader.Elements, shape: [Int]) {
    var reader = JSONArrayReader(Array(text.utf8), at: 0)
    let elements = try reader.read(type)
    #expect(reader.offset == text.utf8.count)
    return (elements, reader.shape)
  }

  private func floats(_ text: String) throws -> [Float] {
    guard case .floats(let values) = try read(text, .float).elements else { return [] }
    return values
  }

  @Test(
    "nested arrays have a shape",
    arguments: [
      ("5", []), ("[]", [0]), ("[1,2,3]", [3]), ("[[1,2],[3,4],[5,6]]", [3, 2]),
      (" [ [ [ 1 ] ] , [ [ 2 ] ] ]", [2, 1, 1]), ("[[],[]]", [2, 0]),
    ])
  func shapes(_ text: String, _ shape: [Int]) throws {
    #expect(try read(text, .signed).shape == shape)
    #expect(try read(text, .float).shape == shape)
  }

  @Test(
    "invalid texts are rejected",
    arguments: [
      "", "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1}", "[01]", "[1.]", "[.5]", "[+1]", "[1e]",
      "[-]", "[nan]", "[null]", "[\"1\"]", "[1,[2]]", "[[1],2]", "[[1,2],[3]]", "[[1],[2],]",
      "[1e39]", "[-1e39]", "[0x1]", String(repeating: "[", count: 40),
    ])
  func invalid(_ text: String) {
    #expect(throws: JSONArrayReader.ReadError.self) { try floats(text) }
  }

  @Test("floating-point numbers are the nearest ones")
  func nearest() throws {
    var texts = [
      "0.1", "-0.0", "16777217", "16777219", "1e-45", "7e-46", "3.4028235e38", "1.17549435e-38",
      "0.10000000149011612", "123456789012345678901234567890", "1e0", "2.5E-3",
      "0.00000000000000000000000000000000000001234567890123456789",
    ]
    var generator = SplitMix(state: 7)
    for _ in 0..<2000 {
      let bits = UInt32(truncatingIfNeeded: generator.next())
      let value = Float(bitPattern: bits)
      if value.isFinite { texts += ["\(value)", "\(Double(value))"] }
    }
    let values = try floats("[" + texts.joined(separator: ", ") + "]")
    #expect(values.map(\.bitPattern) == texts.compactMap { Float($0)?.bitPattern })
  }

  @Test("numbers of all lengths are the nearest ones, wherever they are in the text")
  func lengths() throws {
    var generator = SplitMix(state: 3)
    func digits(_ count: Int) -> String {
      (0..<count).map { _ in String(generator.next() % 10) }.joined()
    }
    var texts: [String] = []
    for integer in 1...12 {
      for fraction in 0...20 {
        let first = integer > 1 ? String(1 + generator.next() % 9) : ""
        let sign = generator.next() % 2 == 0 ? "-" : ""
        let rest = fraction > 0 ? "." + digits(fraction) : ""
        texts.append(sign + first + digits(integer - first.utf8.count) + rest)
      }
    }
    for separator in [",", ", ", " ,\n "] {
      let values = try floats("[" + texts.joined(separator: separator) + "]")
      #expect(values.map(\.bitPattern) == texts.compactMap { Float($0)?.bitPattern })
    }
    for count in 1...20 {
      let part = texts[(count * 11)..<(count * 12)]
      let values = try floats("[[" + part.joined(separator: ",") + "]]")
      #expect(values == part.compactMap { Float($0) })
    }
    let padding = String(repeating: "0.25,", count: 20)
    for text in ["01", "-", "1.", "1..2", "1.5.", ".5", "1-", "1/2", "1:2", "1.2:3", "1.5\u{e9}"] {
      #expect(throws: JSONArrayReader.ReadError.self) { try floats("[\(text),\(padding)1]") }
    }
  }

  @Test("integers have all digits, and must fit")
  func integers() throws {
    let (signed, _) = try read("[-9223372036854775808,9223372036854775807]", .signed)
    guard case .signed(let values) = signed else {
      Issue.record("\(signed)")
      return
    }
    #expect(values == [.min, .max])
    for text in ["[9223372036854775808]", "[1.0]", "[1e2]"] {
      #expect(throws: JSONArrayReader.ReadError.self) { try read(text, .signed) }
    }
    for text in ["[-1]", "[18446744073709551616]"] {
      #expect(throws: JSONArrayReader.ReadError.self) { try read(text, .unsigned) }
    }
  }

  @Test("literals stand for numbers that are not finite, and for Booleans")
  func literals() throws {
    let values = try floats("[NaN,Infinity,-Infinity]")
    #expect(values[0].isNaN && values[1...] == [.infinity, -.infinity])
    guard case .bools(let flags) = try read("[true,false]", .bool).elements else {
      Issue.record("expected Booleans")
      return
    }
    #expect(flags == [true, false])
    #expect(throws: JSONArrayReader.ReadError.self) { try read("[1]", .bool) }
  }
}

/// Reproducible random numbers.
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
