import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing

/// An entry of the `cases.json` of a bundle in `Tests/Fixtures/TensorFlow`.
struct SavedModelCase: Sendable, CustomTestStringConvertible {
  let bundle: String
  let number: Int
  let file: JSONTree
  let tree: JSONTree

  var name: String { URL(filePath: bundle).deletingPathExtension().lastPathComponent }
  var testDescription: String { "\(name) \(number)" }

  /// All entries for a key in all bundles.
  static func all(_ key: String) -> [SavedModelCase] {
    ProjectFiles.entries(of: "Tests/Fixtures/TensorFlow", suffix: ".tiobundle").flatMap { bundle in
      let file = (try? JSONTree(contentsOf: bundle + "/cases.json")) ?? .null
      return (file[key]?.array ?? []).enumerated().map {
        SavedModelCase(bundle: bundle, number: $0 + 1, file: file, tree: $1)
      }
    }
  }

  /// The error of single precision, for expected values in double precision.
  var tolerance: Double {
    max(1e-9, tree["tolerance"]?.number ?? file["tolerance"]?.number ?? 1e-6)
  }

  var mode: ModelMode { tree["mode"]?.string.flatMap(ModelMode.init) ?? .predict }

  var outputNames: [String] {
    ((tree["outputs"]?.object ?? [:]).merging(tree["pixels"]?.object ?? [:]) { $1 }).keys.sorted()
  }

  /// Whether all steps use the same items.
  var isOneBatch: Bool {
    let items = (tree["steps"]?.array ?? []).map { $0["items"] }
    return items.count > 1 && items.allSatisfy { $0 == items[0] && $0?[0]?.object != nil }
  }
}

// MARK: Inputs

extension SavedModelCase {
  private var imagePath: String? { tree["picture"]?.string.map { "\(bundle)/\($0)" } }

  var input: ModelInput {
    get throws {
      if let imagePath { return try ImageBuffer(contentsOf: imagePath).modelInput }
      return Self.input(try #require(tree["input"]))
    }
  }

  /// The case as arguments of the command line.
  var arguments: [String] {
    placeholderArguments + ["--"] + [imagePath.map { "@\($0)" } ?? tree["input"]?.text ?? ""]
  }

  var placeholders: Placeholders {
    Placeholders((tree["placeholders"]?.object ?? [:]).mapValues(Self.value))
  }

  var placeholderArguments: [String] {
    (tree["placeholders"]?.object ?? [:]).flatMap { ["--placeholder", "\($0)=\($1.text)"] }
  }

  func batch(_ tree: JSONTree, _ keys: [String]) throws -> Batch {
    var batch = Batch(keys: keys)
    for item in try #require(tree["items"]?.array) { try batch.append(Self.input(item)) }
    return batch
  }

  private static func input(_ tree: JSONTree) -> ModelInput {
    tree.object.map { .named($0.mapValues(value)) } ?? .value(value(tree))
  }

  private static func value(_ tree: JSONTree) -> LayerValue {
    if let text = tree.string { return text.layerValue }
    if let strings = tree.array?.compactMap(\.string), !strings.isEmpty {
      return .strings(Strings(strings))
    }
    if let number = tree.number { return number.layerValue }
    return tree.numbers?.layerValue ?? LayerValue.layerValue(of: (tree.array ?? []).map(value))
  }
}

// MARK: Outputs

extension SavedModelCase {
  func check(_ output: ModelOutput, against expected: JSONTree) throws {
    for (name, expectedValue) in expected["outputs"]?.object ?? [:] {
      let found = FlatValue(try output[name])
      #expect(found.isClose(to: FlatValue(expectedValue), within: tolerance), "\(name): \(found)")
    }
    for (name, expectedValue) in expected["pixels"]?.object ?? [:] {
      let found = FlatValue(try output[name])
      #expect(found.isClose(to: FlatValue(expectedValue), within: 1), "\(name): \(found)")
    }
  }
}

/// A value without its shape: numbers and strings in order.
struct FlatValue: Equatable {
  var numbers: [Double] = []
  var strings: [String] = []

  var isFinite: Bool { numbers.allSatisfy(\.isFinite) }

  private init(numbers: [Double] = [], strings: [String] = []) {
    (self.numbers, self.strings) = (numbers, strings)
  }

  private init(_ parts: [FlatValue]) {
    self.init(numbers: parts.flatMap(\.numbers), strings: parts.flatMap(\.strings))
  }

  /// Booleans are 0 and 1, strings represent non-finite numbers, and labels are in the order of
  /// the model.
  init(_ tree: JSONTree) {
    switch tree {
    case .number(let number): self.init(numbers: [number])
    case .bool(let isTrue): self.init(numbers: [isTrue ? 1 : 0])
    case .null: self.init(numbers: [.nan])
    case .string(let text):
      let number = ["nan", "inf", "-inf"].contains(text) ? Double(text) : nil
      self.init(numbers: number.map { [$0] } ?? [], strings: number == nil ? [text] : [])
    case .array(let elements) where elements.first?["score"] != nil:
      let scores = elements.sorted { $0["index"]?.number ?? 0 < $1["index"]?.number ?? 0 }
      self.init(numbers: scores.compactMap { $0["score"]?.number })
    case .array(let elements): self.init(elements.map(FlatValue.init))
    case .object(let members): self.init(members.values.map(FlatValue.init))
    }
  }

  init(_ value: LayerValue) {
    switch value {
    case .numbers: self.init(numbers: (try? value.value()) ?? [])
    case .classification(let classes): self.init(numbers: classes.scores.map(Double.init))
    case .strings(let strings): self.init(strings: Array(strings))
    case .bytes(let bytes): self.init(strings: [String(decoding: bytes, as: UTF8.self)])
    case .image(let image): self.init(numbers: image.converted(to: .rgb).pixels.map(Double.init))
    case .tokens(let text): self.init(numbers: text.ids.map(Double.init))
    case .audio(let sound): self.init(numbers: sound.samples.map(Double.init))
    case .list(let values): self.init(values.map { FlatValue($0) })
    }
  }

  func isClose(to other: FlatValue, within tolerance: Double) -> Bool {
    numbers.count == other.numbers.count && strings == other.strings
      && zip(numbers, other.numbers).allSatisfy { found, expectedValue in
        found == expectedValue || found.isNaN && expectedValue.isNaN
          || abs(found - expectedValue) <= tolerance * max(1, abs(expectedValue))
      }
  }
}
