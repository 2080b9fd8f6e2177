import TensorIOJSON

@testable import TensorIOServer

/// Readers of inference requests.
enum InferenceReaders {
  /// The first byte selects where the JSON ends; the rest is JSON and binary tensors.
  static func openInference(_ bytes: [UInt8]) throws(PropertyViolation) {
    let body = Array(bytes.dropFirst())
    let length = bytes.first.map { $0 == 0 ? body.count : min(Int($0) * 4, body.count) }
    let request = unlessRejected {
      try OpenInferenceRequestReader(
        body, headerLength: length, model: ModelSelector("m"), RequestContext()
      )
      .request()
    }
    guard let request, !request.isRaw else { return }
    for input in request.inputs {
      let count = input.shape.reduce(1, *)
      try verify(input.count == count, "an input has \(input.count) elements, not \(count)")
      try verify(input.count <= body.count, "an input has more elements than the body has bytes")
      let copy = unlessRejected {
        try InferenceTensor(
          input.name, input.datatype, shape: input.shape, binary: input.binary[...])
      }
      try verify(copy?.binary == input.binary, "the binary form of an input does not read back")
    }
  }

  /// The elements of arrays are those of the document.
  static func numbers(_ bytes: [UInt8]) throws(PropertyViolation) {
    var reader = JSONArrayReader(bytes, at: 0)
    guard case .doubles(let values)? = unlessRejected({ try reader.read(.double) }) else { return }
    guard let document = try? JSONDocument(parsing: bytes, limits: JSONLimits(bytes: bytes.count))
    else { return }
    var expected: [Double] = []
    guard let shape = try? document.root.numbers(into: &expected) else { return }
    try verify(values == expected, "the numbers are not those of the document")
    try verify(values.isEmpty || shape == reader.shape, "the shape is not that of the document")
    var floats: [Float] = []
    var floatReader = JSONArrayReader(bytes, at: 0)
    guard case .floats(let numbers)? = unlessRejected({ try floatReader.read(.float) }),
      (try? document.root.numbers(into: &floats)) != nil
    else { return }
    try verify(numbers == floats, "the floats are not those of the document")
  }

  /// The records of a CSV file are complete, and have no other bytes than the file.
  static func csv(_ bytes: [UInt8]) throws(PropertyViolation) {
    var (fieldBytes, isComplete) = (0, true)
    let isValid: Void? = unlessRejected {
      try CSVRecords.forEachField(in: bytes) { field, isLast in
        (fieldBytes, isComplete) = (fieldBytes + field.count, isLast)
      }
    }
    guard isValid != nil else { return }
    try verify(isComplete, "the last record is not complete")
    try verify(fieldBytes <= bytes.count, "the fields have more bytes than the file")
  }
}
