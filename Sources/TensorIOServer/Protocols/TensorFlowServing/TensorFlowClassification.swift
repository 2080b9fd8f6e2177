import TensorIOBundle
import TensorIOJSON

/// Writes the results of `classify` and `regress`.
struct TensorFlowClassification: Sendable {
  enum Method: Sendable {
    case classify, regress
  }

  private let method: Method

  init(_ method: Method) { self.method = method }

  /// Returns the results of all examples as JSON.
  ///
  /// - Throws: A ``ClientError`` if the model has no output for the method.
  func results(
    _ outputs: [InferenceTensor], _ labels: [String: [String]]
  ) throws(ClientError) -> [UInt8] {
    let numeric = outputs.filter { $0.datatype != .bytes }
    let output =
      numeric.first { labels[$0.name] != nil } ?? (numeric.count == 1 ? numeric[0] : nil)
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
    let text = output.elementText
    let names = labels[output.name] ?? []
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
              writer.value(names.indices.contains(index) ? names[index] : "\(index)")
              writer.rawJSON(text(item * length + index).utf8)
            }
          }
        }
      }
    }
    return writer.bytes
  }
}
