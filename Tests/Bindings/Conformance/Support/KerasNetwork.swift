import Foundation
import TensorIO
import TensorIOCore
import TensorIOTestSupport
import Testing

/// A default export of Keras in `Tests/Fixtures/Keras`, with what LiteRT's interpreter computes for
/// eight items.
struct KerasNetwork: Sendable, CustomTestStringConvertible {
  /// The name of the network and how it is quantized.
  let name: String
  /// The shapes for one item.
  let (inputs, outputs): ([[Int]], [[Int]])
  /// The elements of each output, by item.
  let items: [[[Double]]]

  var testDescription: String { name }

  private static let folder = ProjectFiles.path("Tests/Fixtures/Keras")

  static let all: [KerasNetwork] = {
    guard let golden = try? JSONTree(contentsOf: "\(folder)/golden.json").object else { return [] }
    return golden.keys.sorted().compactMap { name in
      golden[name].flatMap { KerasNetwork(name, $0) }
    }
  }()

  private init?(_ name: String, _ golden: JSONTree) {
    guard let inputs = golden["inputs"]?.array, let outputs = golden["outputs"]?.array,
      let items = golden["items"]?.array
    else { return nil }
    self.name = name
    self.inputs = inputs.compactMap { $0.numbers?.map { Int($0) } }
    self.outputs = outputs.compactMap { $0.numbers?.map { Int($0) } }
    self.items = items.map { $0.array?.compactMap(\.numbers) ?? [] }
  }

  /// Whether inputs and outputs are 8-bit integers.
  private var quantizedType: String? {
    for type in ["uint8", "int8"] where name.hasSuffix(".\(type)") { return type }
    return nil
  }

  /// Whether the input takes indices of an embedding.
  private var takesIndices: Bool { name.hasPrefix("embedding") || name.hasPrefix("text") }

  /// Writes a bundle that declares any number of items.
  func write(to folder: TemporaryFolder) throws -> String {
    func layers(_ prefix: String, _ shapes: [[Int]], _ type: String?) -> String {
      shapes.enumerated().map { index, shape in
        let shape = ["-1"] + shape.dropFirst().map { "\($0)" }
        let type = type.map { #", "dtype": "\#($0)""# } ?? ""
        return #"{"name": "\#(prefix)\#(index)", "type": "array", "#
          + #""shape": [\#(shape.joined(separator: ","))]\#(type)}"#
      }.joined(separator: ",")
    }
    let indices = takesIndices ? "int32" : quantizedType
    try folder.write(
      """
      {"name": "", "details": "", "id": "", "version": "1", "author": "", "license": "",
       "model": {"file": "model.tflite", "quantized": false, "backend": "tflite",
                 "modes": ["predict"]},
       "inputs": [\(layers("x", inputs, indices))],
       "outputs": [\(layers("y", outputs, quantizedType))]}
      """, to: "keras.tiobundle/model.json")
    try folder.copy("\(Self.folder)/\(name).tflite", as: "keras.tiobundle/model.tflite")
    return folder.path + "/keras.tiobundle"
  }

  /// The inputs for an item; items repeat after eight.
  func input(_ item: Int) -> ModelInput {
    var values: [String: LayerValue] = [:]
    for (index, shape) in inputs.enumerated() {
      let count = shape.reduce(1, *)
      let start = (item % items.count) * count
      values["x\(index)"] = .numbers(Numbers(.doubles((start..<start + count).map(element))))
    }
    return .named(values)
  }

  /// The same numbers as `elements` in `Scripts/fixtures/keras-models/golden.py`.
  private func element(_ position: Int) -> Double {
    let number = (position * 37 + 11) % 101
    if takesIndices { return Double(number % 10) }
    switch quantizedType {
    case "uint8": return Double(number * 2)
    case "int8": return Double(number - 50)
    default: return Double(Float(number) / 50 - 1)
    }
  }

  /// Returns whether the outputs are those of an item.
  ///
  /// Another order of additions can change an integer by one.
  func isCorrect(_ output: ModelOutput, _ item: Int) throws -> Bool {
    try outputs.indices.allSatisfy { index in
      let expected = items[item % items.count][index]
      let found = try output.value(of: "y\(index)", as: [Double].self)
      return isClose(found, to: expected, within: quantizedType == nil ? 1e-4 : 1)
    }
  }
}
