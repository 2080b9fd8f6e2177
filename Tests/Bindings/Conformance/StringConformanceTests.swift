import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import Testing

/// Bytes that pass through a model unchanged, and tensors of strings.
@Suite struct StringConformanceTests {
  private func open(_ name: String, layer: String, in folder: TemporaryFolder) throws -> Model {
    try folder.write(
      """
      {"name": "", "details": "", "id": "", "version": "1", "author": "", "license": "",
       "model": {"file": "model.tflite", "quantized": false, "backend": "tflite",
                 "modes": ["predict"]},
       "inputs": [{"name": "x", \(layer)}], "outputs": [{"name": "y", \(layer)}]}
      """, to: "s.tiobundle/model.json")
    try folder.copy(
      ProjectFiles.path("Tests/Fixtures/Models/\(name).tflite"), as: "s.tiobundle/model.tflite")
    return try Model(at: folder.path + "/s.tiobundle", options: .init(threads: 1))
  }

  struct Case: CustomTestStringConvertible {
    let type: ElementType
    let input: [UInt8]
    let output: [UInt8]
    var testDescription: String { type.rawValue }

    init<Element: BitwiseCopyable>(_ type: ElementType, _ input: [Element], _ output: [Element]) {
      self.type = type
      self.input = input.rawBytes
      self.output = output.rawBytes
    }
  }

  /// Doubles the elements as the models do, in the tensor's type.
  static let cases = [
    Case(.float32, [1.5, -2, 0, 1e30] as [Float], [3, -4, 0, 2e30]),
    Case(.float64, [1.5, -2, 0, 1e6] as [Double], [3, -4, 0, 2e6]),
    Case(.float16, [0x3E00, 0xC000, 0, 0x5640] as [UInt16], [0x4200, 0xC400, 0, 0x5A40]),
    Case(.int32, [1, -2, 0, 1 << 29] as [Int32], [2, -4, 0, 1 << 30]),
    Case(.int64, [1, -2, 0, 1 << 60] as [Int64], [2, -4, 0, 1 << 61]),
    Case(.uint8, [10, 20, 0, 200] as [UInt8], [10, 30, 0, 255]),
    Case(.int8, [-10, 20, -60, 100] as [Int8], [-10, 50, -110, 127]),
    Case(.int16, [1, -2, 0, 30000] as [Int16], [2, -4, 0, 32767]),
  ]

  @Test(arguments: cases)
  func `A string layer copies the bytes of any type`(_ each: Case) throws {
    let folder = try TemporaryFolder()
    let layer = #""type": "string", "shape": [4], "dtype": "\#(each.type)""#
    let model = try open("double-\(each.type)", layer: layer, in: folder)
    #expect(try model.run(Data(each.input))["y"] == .bytes(each.output))
    #expect(try model.run(["x": Data(each.input)]).legacyValues == ["y": .bytes(each.output)])
    let outputs = try model.run(batch: [Data(each.input), Data(each.input)])
    #expect(try outputs.map { try [UInt8]($0["y"]) } == [each.output, each.output])
    let error = #expect(throws: ModelError.self) { try model.run(Data(each.input.dropLast())) }
    #expect(
      error?.reason
        == .wrongByteCount(expected: each.input.count, actual: each.input.count - 1))
    #expect(throws: ModelError.self) { try model.run([1, 2, 3, 4]) }
    let argument = "base64:" + Data(each.input).base64EncodedString()
    let outcome = TestConsole.run(["run", model.bundle.path, argument])
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(
      try outcome.json()["outputs"]?["y"]?.string
        == "base64:" + Data(each.output).base64EncodedString())
  }

  /// The element type of a `string` layer applies to byte tensors only.
  static let stringLayers = [
    #""type": "array", "shape": [2]"#, #""type": "string", "shape": [2], "dtype": "uint8""#,
    #""type": "string", "shape": [2], "dtype": "float32""#,
  ]

  @Test(arguments: stringLayers)
  func `Strings are passed through a model of strings`(layer: String) async throws {
    let folder = try TemporaryFolder()
    let model = try open("gather-string", layer: layer, in: folder)
    #expect(try model.run(["one", "zwölf"]).value(as: [String].self) == ["zwölf", "one"])
    #expect(try await model.submit(["x": ["", "b"]]).value(as: [String].self) == ["b", ""])
    let batch = try model.run(batch: [["a", "b"], ["c", "d"]])
    #expect(try batch.map { try $0.value(as: [String].self) } == [["b", "a"], ["d", "c"]])
    #expect(throws: ModelError.self) { try model.run(["one"]) }
    #expect(throws: ModelError.self) { try model.run([1, 2]) }
    #expect(try model.run([Data("a".utf8), Data()]).value(as: [String].self) == ["", "a"])
  }

  @Test func `Nested strings have the shape of their tensor`() throws {
    let folder = try TemporaryFolder()
    let layer = #""type": "string", "shape": [3, 2], "dtype": "uint8""#
    let model = try open("text-table", layer: layer, in: folder)
    let expected = ["e", "f", "c", "d", "a", "b"]
    let rows = [["a", "b"], ["c", "d"], ["e", "f"]]
    #expect(try model.run(rows).value(as: [String].self) == expected)
    #expect(try model.run([rows]).value(as: [String].self) == expected)
    #expect(try model.run(rows.flatMap(\.self)).value(as: [String].self) == expected)
    for wrong in [[["a", "b", "c"], ["d", "e", "f"]], [["a"], ["b", "c"], ["d", "e", "f"]]] {
      let error = #expect(throws: ModelError.self) { try model.run(wrong) }
      #expect(error?.code == "wrong-shape")
    }
    // As with numbers, only leading dimensions of one may be added.
    let error = #expect(throws: ModelError.self) { try model.run(rows.map { [$0] }) }
    #expect(error?.code == "wrong-shape")
  }

  @Test(arguments: [
    ("good movie", 10.0), ("1984", 4), ("[sic]", 5), (#"["good"]"#, 4), (#""good""#, 4),
    ("base64:Z29vZA==", 4),
  ])
  func `One text is an input of a model of strings`(_ argument: String, _ length: Double) throws {
    let path = ProjectFiles.path("Tests/Fixtures/TensorFlow/string-batch.tiobundle")
    let outcome = TestConsole.run(["run", path, argument])
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(try outcome.json()["outputs"]?["y"]?.number == length)
    var console = TestConsole()
    console.input = Array("good".utf8)
    #expect(try console.run(["run", path, "-"]).json()["outputs"]?["y"]?.number == 4)
  }

  @Test(arguments: stringLayers)
  func `Strings of the command line are text, or bytes in base64, and can be inputs again`(
    layer: String
  ) throws {
    let folder = try TemporaryFolder()
    let path = try open("gather-string", layer: layer, in: folder).bundle.path
    // Text; bytes that are not UTF-8, 0xFF and 0x00; and a text that begins like bytes.
    let inputs = [#"["ü\"", "base64:/wA="]"#, #"["base64:YmFzZTY0Oi93QT0=", ""]"#]
    for input in inputs {
      let once = try TestConsole.run(["run", path, input]).json()["outputs"]?["y"]
      let twice = try TestConsole.run(["run", path, once?.text ?? ""]).json()["outputs"]?["y"]
      #expect(try twice == JSONTree(input), "\(String(describing: once))")
    }
  }

  @Test(arguments: stringLayers)
  func `A list of strings is one value on the command line`(layer: String) throws {
    let folder = try TemporaryFolder()
    let path = try open("gather-string", layer: layer, in: folder).bundle.path
    let list = #"["one", "zwölf"]"#
    let file = try folder.write(list, to: "list.json")
    let arguments = [list, #"{"x": \#(list)}"#, "x=\(list)", "@\(file)"]
    for argument in arguments {
      let outcome = TestConsole.run(["run", path, argument])
      #expect(outcome.exitCode == 0, "\(argument): \(outcome)")
      let swapped = try outcome.json()["outputs"]?["y"]?.array?.compactMap(\.string)
      #expect(swapped == ["zwölf", "one"], "\(argument)")
    }
    var batch = TestConsole()
    batch.input = Array("\(list)\n\(list)\n".utf8)
    #expect(try batch.run(["run", path, "--input-file", "-"]).jsonLines().count == 2)
    for argument in [#"["one"]"#, #"["a", "b", "c"]"#, "[1, 2]", #"["a", 1]"#, "one"] {
      #expect(TestConsole.run(["run", path, argument]).exitCode == 4, "\(argument)")
    }
  }
}
