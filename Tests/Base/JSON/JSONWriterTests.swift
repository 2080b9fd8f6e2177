import TensorIOTestSupport
import Testing

@testable import TensorIOJSON

@Suite struct JSONWriterTests {
  private func write(_ style: JSONWriter.Style, _ body: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter(style)
    body(&writer)
    return writer.string
  }

  @Test func `Compact output has no spaces`() {
    let text = write(.compact) { writer in
      writer.object { model in
        model.member("name", "digits")
        model.key("shape")
        model.numbers([1, 28, 28])
        model.member("none", object: { _ in })
        model.member(
          "list",
          array: { list in
            list.value(true)
            list.null()
            list.object { $0.member("half", 0.5) }
          })
      }
    }
    #expect(
      text == #"{"name":"digits","shape":[1,28,28],"none":{},"list":[true,null,{"half":0.5}]}"#)
  }

  @Test func `Indented output has one line per member, and arrays of numbers on one line`() {
    let text = write(.indented) { writer in
      writer.object { model in
        model.member("name", "digits")
        model.key("shape")
        model.numbers([1, 28, 28])
        model.member(
          "list",
          array: { list in
            list.value(1)
            list.object { $0.member("none", array: { _ in }) }
          })
      }
    }
    #expect(
      text == """
        {
          "name": "digits",
          "shape": [1,28,28],
          "list": [
            1,
            {
              "none": []
            }
          ]
        }
        """)
  }

  @Test func `Numbers are written in their shortest form`() {
    let text = write(.compact) {
      $0.numbers([0.1, 25, -0.5, 1e-7, 16_777_216, 3.4028235e38] as [Float])
    }
    #expect(text == "[0.1,25,-0.5,1e-07,16777216,3.4028235e+38]")
    #expect(write(.compact) { $0.value(Float(0.1)) } == "0.1")
    #expect(write(.compact) { $0.value(Double(Float(0.1))) } == "0.10000000149011612")
    #expect(write(.compact) { $0.value(-0.0) } == "-0.0")
    #expect(write(.compact) { $0.value(0.0) } == "0")
    #expect(write(.compact) { $0.value(Int64.min) } == "-9223372036854775808")
    #expect(write(.compact) { $0.numbers([UInt64.max]) } == "[18446744073709551615]")
  }

  @Test func `Nonfinite numbers are written as null and counted`() {
    var writer = JSONWriter()
    writer.numbers([1, .nan, .infinity, -.infinity] as [Float])
    #expect(writer.string == "[1,null,null,null]")
    #expect(writer.nonfiniteCount == 3)
  }

  @Test func `Floats read back as themselves`() throws {
    var random = SeededGenerator(seed: 3)
    let values = (0..<10_000).map { _ in
      Float(bitPattern: .random(in: .min ... .max, using: &random))
    }
    .filter(\.isFinite)
    var writer = JSONWriter()
    writer.numbers(values)
    var read: [Float] = []
    let document = try JSONDocument(parsing: writer.bytes)
    #expect(try document.root.numbers(into: &read) == [values.count])
    #expect(read.map(\.bitPattern) == values.map(\.bitPattern))
  }

  @Test func `Many small arrays seldom move what is written before them`() {
    var writer = JSONWriter(.compact)
    var (capacity, moves) = (0, 0)
    writer.array { writer in
      for _ in 0..<1 << 15 {
        writer.numbers([1, 2] as [Float])
        if writer.bytes.capacity != capacity {
          (capacity, moves) = (writer.bytes.capacity, moves + 1)
        }
      }
    }
    #expect(moves < 32, "\(moves) moves")
  }

  @Test func `Strings read back as themselves`() throws {
    let text = "\"\\/\u{8}\u{C}\n\r\t\u{1}\u{1F}é😀\u{2028}"
    let written = write(.compact) { $0.value(text) }
    #expect(written == "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001fé😀\u{2028}\"")
    #expect(try JSONDocument(parsing: Array(written.utf8)).root.string == text)
  }

  @Test func `A document with nonstandard syntax is written as strict JSON`() throws {
    let text = "{\"a\": [1.50, {}, [], // one\n \"\\u0041\",], \"b\": {\"c\": null,},}"
    let document = try JSONDocument(parsing: Array(text.utf8), dialect: .lenient)
    #expect(
      write(.compact) { $0.value(document.root) } == #"{"a":[1.50,{},[],"A"],"b":{"c":null}}"#)
  }
}
