import Foundation
import TensorIOCore
import TensorIOTestSupport
import Testing

@Suite struct PredictingTests {
  @Test func `The list of cases is complete`() {
    #expect(SavedModelCase.all.count > 30)
  }

  @Test(arguments: SavedModelCase.all)
  func `The outputs of a bundle equal those of TensorFlow in Python`(_ example: SavedModelCase)
    throws
  {
    let model = try Model(SavedModels.bundle(example.bundle), on: SavedModels.backend)
    let output = try model.run(example.input)
    #expect(output.layers.map(\.name).sorted() == example.outputs.keys.sorted())
    for (name, value) in example.outputs {
      let actual = try output[name]
      #expect(example.isClose(actual, to: value), "\(name): \(actual)")
    }
  }
}

/// One of the `cases` of a bundle's `cases.json`.
struct SavedModelCase: Sendable, CustomTestStringConvertible {
  let bundle: String
  let number: Int
  let tree: JSONTree
  let tolerance: Double

  var testDescription: String { "\(bundle) \(number)" }
  var outputs: [String: JSONTree] { tree["outputs"]?.object ?? [:] }

  /// The cases with numbers and strings; images are covered by the conformance suite.
  static let all: [SavedModelCase] = SavedModels.names.flatMap { name in
    let file = (try? JSONTree(contentsOf: SavedModels.path(name) + "/cases.json")) ?? .null
    return (file["cases"]?.array ?? []).enumerated().map { index, tree in
      let tolerance = tree["tolerance"]?.number ?? file["tolerance"]?.number ?? 0
      return SavedModelCase(bundle: name, number: index + 1, tree: tree, tolerance: tolerance)
    }.filter { $0.tree["placeholders"] == nil && $0.tree["mode"] == nil && !$0.hasImages }
  }

  /// Whether the case's input is an image.
  private var hasImages: Bool { bundle.hasPrefix("picture") }

  var input: ModelInput {
    guard let members = tree["input"]?.object, members["float32"] == nil else {
      return .value(tree["input"]?.layerValue ?? .list([]))
    }
    return .named(members.mapValues(\.layerValue))
  }

  func isClose(_ value: LayerValue, to expected: JSONTree) -> Bool {
    if case .strings(let strings) = value {
      return Array(strings)
        == (expected.array ?? [expected]).map(\.string)
    }
    let numbers: [Double] = (try? value.value()) ?? value.floats.map(Double.init)
    let expectedNumbers = expected.flat
    return numbers.count == expectedNumbers.count
      && zip(numbers, expectedNumbers).allSatisfy { abs($0 - $1) <= tolerance || $0 == $1 }
  }
}

extension LayerValue {
  fileprivate var floats: [Float] {
    guard case .bytes(let bytes) = self else { return [] }
    return stride(from: 0, to: bytes.count, by: 4).map { start in
      Float(bitPattern: bytes[start..<start + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) })
    }
  }
}

extension JSONTree {
  /// All numbers in the tree, in order; `true` is 1.
  var flat: [Double] {
    switch self {
    case .array(let elements): elements.flatMap(\.flat)
    case .number(let number): [number]
    case .bool(let isTrue): [isTrue ? 1 : 0]
    case .object(let members): members["float32"]?.flat ?? []
    case .null, .string: []
    }
  }

  private var strings: [String]? {
    let strings = (array ?? [self]).compactMap(\.string)
    return strings.isEmpty ? nil : strings
  }

  /// The value as a layer value.
  var layerValue: LayerValue {
    if let numbers = self["float32"]?.flat {
      return .bytes(
        numbers.flatMap { number in
          stride(from: 0, to: 32, by: 8).map { UInt8(Float(number).bitPattern >> $0 & 0xFF) }
        })
    }
    if let strings { return .strings(Strings(strings)) }
    if numbers == nil, let array { return LayerValue.layerValue(of: array.map(\.layerValue)) }
    return flat.layerValue
  }
}
