import Foundation
import TensorIO
import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing

/// What a model answered, whichever way it was asked.
struct Answer {
  enum Value: Equatable {
    case numbers([Double])
    /// The only number of an output, which reads as a number.
    case number(Double)
    case labels([Label])
    case picture(ImageBuffer)
  }

  struct Label: Equatable {
    let text: String
    let score: Double
    let index: Int
  }

  let values: [String: Value]

  /// The answer of the library.
  init(_ output: ModelOutput) throws {
    values = try Dictionary(
      output.layers.map { ($0.name, try Value($0.value)) }, uniquingKeysWith: { first, _ in first })
  }

  /// The answer of `tensorio run`, where pictures are paths or PNG files in base64.
  init(_ record: JSONTree) throws {
    values = try #require(record["outputs"]?.object, "\(record.text)").mapValues(Value.init)
  }
}

extension Answer.Value {
  fileprivate init(_ value: LayerValue) throws {
    switch value {
    case .classification: self = .labels(try value.top().map(Answer.Label.init))
    case .image(let image): self = .picture(image)
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
      self = .labels(try entries.map(Answer.Label.init))
    } else if let path = tree["path"]?.string {
      self = .picture(try ImageBuffer(contentsOf: path))
    } else {
      let data = try #require(Data(base64Encoded: tree["png"]?.string ?? ""))
      self = .picture(try ImageBuffer(decoding: [UInt8](data)))
    }
  }
}

extension Answer.Label {
  fileprivate init(_ entry: Classification.Entry) {
    self.init(text: entry.label, score: Double(entry.score), index: entry.index)
  }

  fileprivate init(_ tree: JSONTree) throws {
    self.init(
      text: try #require(tree["label"]?.string), score: try #require(tree["score"]?.number),
      index: Int(try #require(tree["index"]?.number)))
  }
}
