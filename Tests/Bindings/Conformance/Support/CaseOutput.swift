import Foundation
import TensorIO
import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing

/// The output of a model, from the library or the command line.
struct CaseOutput {
  enum Value: Equatable {
    case numbers([Double])
    /// The number of an output with a single number.
    case number(Double)
    case labels([Label])
    case image(ImageBuffer)
  }

  struct Label: Equatable {
    let text: String
    let score: Double
    let index: Int
  }

  let values: [String: Value]

  /// The output of the library.
  init(_ output: ModelOutput) throws {
    values = try Dictionary(
      output.layers.map { ($0.name, try Value($0.value)) }, uniquingKeysWith: { first, _ in first })
  }

  /// The output of `tensorio run`, with images as paths or PNG files in base64.
  init(_ record: JSONTree) throws {
    values = try #require(record["outputs"]?.object, "\(record.text)").mapValues(Value.init)
  }
}

extension CaseOutput.Value {
  fileprivate init(_ value: LayerValue) throws {
    switch value {
    case .classification: self = .labels(try value.top().map(CaseOutput.Label.init))
    case .image(let image): self = .image(image)
    default:
      let numbers: [Double] = try value.value()
      self = value.number.map(Self.number) ?? .numbers(numbers)
    }
  }

  fileprivate init(_ tree: JSONTree) throws {
    if let number = tree.number {
      self = .number(number)
    } else if let numbers = tree.numbers {
      self = .numbers(numbers)
    } else if let entries = tree.array {
      // Poses have no class: the outputs that they are decoded from are compared.
      self =
        entries.allSatisfy { $0["index"] != nil }
        ? .labels(try entries.map(CaseOutput.Label.init)) : .numbers([])
    } else if let classes = tree["classes"]?.array {
      // The classes of a sound, which precede its windows.
      self = .labels(try classes.map(CaseOutput.Label.init))
    } else if tree["words"] != nil || tree["segments"] != nil {
      // So are those of a line of text, of keywords, and of sections with speech.
      self = .numbers([])
    } else if let path = tree["path"]?.string {
      self = .image(try ImageBuffer(contentsOf: path))
    } else {
      let data = try #require(Data(base64Encoded: tree["png"]?.string ?? ""))
      self = .image(try ImageBuffer(decoding: [UInt8](data)))
    }
  }
}

extension CaseOutput.Label {
  fileprivate init(_ entry: Classification.Entry) {
    self.init(text: entry.label, score: Double(entry.score), index: entry.index)
  }

  fileprivate init(_ tree: JSONTree) throws {
    self.init(
      text: try #require(tree["label"]?.string), score: try #require(tree["score"]?.number),
      index: Int(try #require(tree["index"]?.number)))
  }
}
