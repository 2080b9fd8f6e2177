/// The metadata of an ONNX file.
package struct ONNXMetadata: Sendable, Hashable {
  /// The name of the program that wrote the file, such as `pytorch` or `skl2onnx`.
  package let producer: String
  /// A description of the model.
  package let details: String
  /// The values that the producer added, by key.
  package let entries: [String: String]
  /// The names of the classes whose scores an output contains, by the output's name.
  package let classNames: [String: [String]]

  init(_ file: ONNXFile) {
    producer = file.producer
    details = file.details
    entries = file.metadata
    classNames = ONNXClassLabels.ofScores(in: file.graph).mapValues(\.texts)
  }
}
