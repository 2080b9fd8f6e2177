import TensorIOBundle
import TensorIOCore
import TensorIOJSON

/// The results of `classify` and `regress`.
struct TensorFlowClassification: Sendable {
  /// What a client requests for each example; the raw value is the method of a signature.
  enum Method: String, Sendable {
    /// The label and score of every class.
    case classify = "tensorflow/serving/classify"
    /// One number.
    case regress = "tensorflow/serving/regress"
  }

  private let method: Method
  private let output: InferenceTensor
  private let labels: [String]
  /// The number of examples.
  private let count: Int
  /// The number of scores of an example.
  private let length: Int

  /// Finds the scores in the outputs of a model.
  ///
  /// - Throws: A ``ClientError`` if the model has no output for the method.
  init(
    _ method: Method, _ outputs: [InferenceTensor], _ labels: [String: [String]]
  ) throws(ClientError) {
    let numeric = outputs.filter { $0.datatype != .bytes }
    let scalars = numeric.filter { $0.shape.dropFirst().checkedProduct == 1 }
    let preferred =
      switch method {
      case .classify: numeric.first { labels[$0.name] != nil }
      case .regress: scalars.count == 1 ? scalars[0] : nil
      }
    let output = preferred ?? (numeric.count == 1 ? numeric[0] : nil)
    guard let output, let count = output.shape.first else {
      throw ClientError(
        .badRequest, "invalid-request",
        "the model has \(outputs.count) outputs; \(method) requires one with a batch axis")
    }
    let length = output.shape.dropFirst().checkedProduct ?? 0
    if method == .regress, length != 1 {
      throw ClientError(
        .badRequest, "invalid-request",
        "regress requires one number per example; output '\(output.name)' has \(length)")
    }
    (self.method, self.output, self.labels) = (method, output, labels[output.name] ?? [])
    (self.count, self.length) = (count, length)
  }

  private func label(_ index: Int) -> String {
    labels.indices.contains(index) ? labels[index] : "\(index)"
  }

  /// The results of all examples as JSON.
  var json: [UInt8] {
    let text = output.elementText
    var writer = JSONWriter(.compact)
    writer.array { writer in
      for item in 0..<count {
        if method == .regress {
          writer.rawJSON(text(item).utf8)
          continue
        }
        writer.array { writer in
          for index in 0..<length {
            writer.array { writer in
              writer.value(label(index))
              writer.rawJSON(text(item * length + index).utf8)
            }
          }
        }
      }
    }
    return writer.bytes
  }

  /// Writes the `ClassificationResult` or `RegressionResult` of all examples.
  func write(to writer: inout ProtobufWriter) {
    let scores = output.floats
    for item in 0..<count {
      writer.message(1) { writer in
        guard method == .classify else {
          writer.fixed32(1, scores[item].bitPattern)
          return
        }
        for index in 0..<length {
          writer.message(1) { writer in
            writer.string(1, label(index))
            writer.fixed32(2, scores[item * length + index].bitPattern)
          }
        }
      }
    }
  }
}

extension InferenceTensor {
  /// The elements as floats; empty for strings.
  fileprivate var floats: [Float] {
    let tensor: Tensor? =
      switch content {
      case .tensor(let tensor): tensor
      case .bytes(let bytes):
        datatype.elementType.flatMap { try? Tensor(bytes: bytes, elementType: $0, shape: shape) }
      case .strings: nil
      }
    guard let numbers = tensor?.numbers else { return [] }
    return (0..<numbers.count).map { Float(numbers[$0]) }
  }
}
