import Foundation
import TensorIOTestSupport
import Testing

/// NumPy files as inputs.
@Suite struct NumPyTests {
  struct File: Sendable, CustomTestStringConvertible {
    let type: String
    let body: [UInt8]
    var testDescription: String { type }
  }

  @Test(arguments: [
    File(type: "<f2", body: NumPyWriter.bytes([0x3C00, 0x4000, 0x4200, 0xC400] as [UInt16])),
    File(type: "<f4", body: NumPyWriter.bytes([1, 2, 3, -4].map(\Float.bitPattern))),
    File(type: "<f8", body: NumPyWriter.bytes([1, 2, 3, -4].map(\Double.bitPattern))),
    File(type: "|i1", body: NumPyWriter.bytes([1, 2, 3, -4] as [Int8])),
    File(type: "<i2", body: NumPyWriter.bytes([1, 2, 3, -4] as [Int16])),
    File(type: "<i4", body: NumPyWriter.bytes([1, 2, 3, -4] as [Int32])),
    File(type: "<i8", body: NumPyWriter.bytes([1, 2, 3, -4] as [Int64])),
  ])
  func `Signed integers of every size are read`(_ file: File) throws {
    #expect(try doubled(file.type, "(4,)", file.body) == [2, 4, 6, -8])
    #expect(try doubled(file.type, "(1, 4)", file.body) == [2, 4, 6, -8])
  }

  @Test(arguments: [
    File(type: "|u1", body: NumPyWriter.bytes([1, 2, 3, 200] as [UInt8])),
    File(type: "<u2", body: NumPyWriter.bytes([1, 2, 3, 200] as [UInt16])),
    File(type: "<u4", body: NumPyWriter.bytes([1, 2, 3, 200] as [UInt32])),
    File(type: "<u8", body: NumPyWriter.bytes([1, 2, 3, 200] as [UInt64])),
  ])
  func `Unsigned integers of every size are read`(_ file: File) throws {
    #expect(try doubled(file.type, "(4,)", file.body) == [2, 4, 6, 400])
  }

  @Test func `Booleans are read`() throws {
    let bundle = try TinyBundle(
      "not-bool", inputs: [TinyBundle.array("x")], outputs: [TinyBundle.array("y")])
    let file = NumPyWriter.file(type: "|b1", shape: "(4,)", body: [0, 1, 1, 0])
    let path = try bundle.folder.write(file, to: "flags.npy")
    let flags = try bundle.run(["@\(path)"]).json()["outputs"]?["y"]?.array
    #expect(flags == [.bool(true), .bool(false), .bool(false), .bool(true)])
  }

  @Test func `A header with a longer length field is read`() throws {
    var file = NumPyWriter.file(
      type: "|u1", shape: "(4,)", body: NumPyWriter.bytes([1, 2, 3, 4] as [UInt8]))
    file[6] = 2
    file.insert(contentsOf: [0, 0], at: 10)
    let bundle = try TinyBundle.double()
    let path = try bundle.folder.write(file, to: "longer.npy")
    #expect(bundle.run(["@\(path)"]).output.contains("[2,4,6,8]"))
  }

  @Test func `Integers keep all digits`() throws {
    let large = Int64(1) << 61 + 1
    let bundle = try TinyBundle.double("int64")
    let body = NumPyWriter.bytes([large, -large, 0, 1])
    let path = try bundle.folder.write(
      NumPyWriter.file(type: "<i8", shape: "(4,)", body: body), to: "large.npy")
    for word in ["@\(path)", "[\(large),\(-large),0,1]"] {
      #expect(bundle.run([word]).output.contains("\"y\":[\(2 * large),\(-2 * large),0,2]"))
    }
  }

  @Test(
    arguments: [
      (
        "column-major order",
        NumPyWriter.file(
          type: "<f4", shape: "(2, 2)", isColumnMajor: true, body: Array(repeating: 0, count: 16)),
        "invalid-value"
      ),
      (
        "big-endian",
        NumPyWriter.file(type: ">f4", shape: "(4,)", body: Array(repeating: 0, count: 16)),
        "invalid-value"
      ),
      (
        "objects",
        NumPyWriter.file(type: "|O", shape: "(4,)", body: Array(repeating: 0, count: 32)),
        "invalid-value"
      ),
      (
        "a byte too few",
        NumPyWriter.file(type: "<f4", shape: "(4,)", body: Array(repeating: 0, count: 15)),
        "invalid-value"
      ),
      (
        "a byte too many",
        NumPyWriter.file(type: "<f4", shape: "(4,)", body: Array(repeating: 0, count: 17)),
        "invalid-value"
      ),
      (
        "a huge shape",
        NumPyWriter.file(
          type: "<f4", shape: "(9223372036854775807, 9)", body: Array(repeating: 0, count: 16)),
        "invalid-value"
      ),
      (
        "a negative shape",
        NumPyWriter.file(type: "<f4", shape: "(-4,)", body: Array(repeating: 0, count: 16)),
        "invalid-value"
      ),
      (
        "no shape", NumPyWriter.file(type: "<f4", shape: "4", body: Array(repeating: 0, count: 16)),
        "invalid-value"
      ),
      (
        "beyond 63 bits",
        NumPyWriter.file(type: "<u8", shape: "(4,)", body: Array(repeating: 255, count: 32)),
        "invalid-value"
      ),
      (
        "another count",
        NumPyWriter.file(type: "<f4", shape: "(3,)", body: Array(repeating: 0, count: 12)),
        "wrong-count"
      ),
      (
        "another shape",
        NumPyWriter.file(type: "<f4", shape: "(2, 2)", body: Array(repeating: 0, count: 16)),
        "wrong-shape"
      ),
      (
        "no type",
        NumPyWriter.file(type: "' 'descr': 1", shape: "(4,)", body: Array(repeating: 0, count: 16)),
        "invalid-value"
      ),
      (
        "nothing but a shape",
        [0x93] + Array("NUMPY".utf8) + [1, 0, 15, 0] + Array("{'shape': (4,)}".utf8),
        "invalid-value"
      ),
      (
        "an end before its length", [0x93] + Array("NUMPY".utf8) + [2, 0, 1, 0, 0],
        "invalid-value"
      ),
      ("another file", Array("[1,2,3,4]".utf8), "invalid-value"),
      ("nothing", [], "invalid-value"),
    ] as [(String, [UInt8], String)])
  func `An invalid file is rejected`(
    _ fault: String, _ file: [UInt8], _ code: String
  ) throws {
    let bundle = try TinyBundle.double()
    let path = try bundle.folder.write(file, to: "fault.npy")
    #expect(try bundle.errorCode(["@\(path)"]) == code, "\(fault)")
  }

  @Test func `A truncated file is rejected`() throws {
    let bundle = try TinyBundle.double()
    let whole = NumPyWriter.file(
      type: "<f4", shape: "(4,)", body: NumPyWriter.bytes([1, 2, 3, 4].map(\Float.bitPattern)))
    let words = try whole.indices.map { count in
      "@" + (try bundle.folder.write(Array(whole[..<count]), to: "cut-\(count).npy"))
    }
    let records = try bundle.run(words).jsonLines()
    #expect(records.count == whole.count)
    #expect(records.allSatisfy { $0["error"]?["code"]?.string == "invalid-value" })
  }

  @Test(arguments: [("(3, 4)", [4]), ("(3, 4)", [-1, 4])])
  func `Each row of an array is an item`(_ shape: String, _ layer: [Int]) throws {
    let bundle = try TinyBundle(
      "dynamic-pair", inputs: [TinyBundle.array("a", layer), TinyBundle.array("b", layer)],
      outputs: [TinyBundle.array("y", layer)])
    let double = try TinyBundle.double()
    let values = NumPyWriter.bytes((0..<12).map { Float($0).bitPattern })
    let file = NumPyWriter.file(type: "<f4", shape: shape, body: values)
    if layer == [4] {
      let path = try double.folder.write(file, to: "rows.npy")
      let records = try double.run(["@\(path)"]).jsonLines()
      #expect(
        records.compactMap { $0["outputs"]?["y"]?.numbers } == [
          [0, 2, 4, 6], [8, 10, 12, 14], [16, 18, 20, 22],
        ])
      #expect(records.compactMap { $0["input"]?.string } == (0..<3).map { "@\(path)[\($0)]" })
    } else {
      for name in ["a", "b"] { try bundle.folder.write(file, to: "\(name).npy") }
      let archive = "\(bundle.folder.path)/rows.npz"
      try ForeignZip.write(
        archive, ["a", "b"].map { "\($0).npy=\(bundle.folder.path)/\($0).npy" }, isZip64: true)
      let records = try bundle.run(["@\(archive)"]).jsonLines()
      #expect(records.count == 3, "\(records)")
    }
  }

  @Test func `An archive names the inputs of one item`() throws {
    let bundle = try TinyBundle.sum()
    for (name, start) in [("a", 0), ("b", 10)] {
      let body = NumPyWriter.bytes((start..<start + 4).map { Float($0).bitPattern })
      try bundle.folder.write(
        NumPyWriter.file(type: "<f4", shape: "(4,)", body: body), to: "\(name).npy")
    }
    let folder = bundle.folder.path
    for isZip64 in [false, true] {
      try ForeignZip.write(
        "\(folder)/in.npz", ["b.npy=\(folder)/b.npy", "a.npy=\(folder)/a.npy"], isZip64: isZip64)
      #expect(try bundle.numbers(["@\(folder)/in.npz"]) == [10, 12, 14, 16])
    }
    try ForeignZip.write("\(folder)/one.npz", ["a.npy=\(folder)/a.npy"])
    let outcome = bundle.run(["@\(folder)/one.npz"])
    #expect(outcome.exitCode == 4 && outcome.messages.contains("missing inputs 'b'"), "\(outcome)")
  }

  private func doubled(_ type: String, _ shape: String, _ body: [UInt8]) throws -> [Double] {
    let bundle = try TinyBundle.double()
    let file = NumPyWriter.file(type: type, shape: shape, body: body)
    return try bundle.numbers(["@" + (try bundle.folder.write(file, to: "values.npy"))])
  }
}
