import TensorIOCore

@testable import TensorIOServer

/// Readers of gRPC and HTTP/2.
enum GRPCReaders {
  private static let maxMessageBytes = 1 << 16

  /// The messages of a stream do not depend on how the bytes are split.
  static func messages(_ bytes: [UInt8]) throws(PropertyViolation) {
    let whole = messages([bytes[...]])
    let piecewise = messages(Array(Pieces(of: bytes)))
    try verify(whole == piecewise, "the messages depend on how the bytes were split")
    for case .message(let message) in whole.compactMap(\.self) {
      try verify(message.bytes.count <= maxMessageBytes, "a message exceeds the limit")
    }
  }

  /// Returns the elements that were found; `nil` stands for an error.
  private static func messages(
    _ pieces: [ArraySlice<UInt8>]
  ) -> [GRPCMessageParser.Element?] {
    var parser = GRPCMessageParser(maxMessageBytes: maxMessageBytes)
    var elements: [GRPCMessageParser.Element?] = []
    do {
      for var piece in pieces {
        while let element = try parser.next(from: &piece) { elements.append(element) }
      }
    } catch {
      elements.append(nil)
    }
    return elements
  }

  /// The memory of inputs is limited by the size of the message.
  static func inference(_ bytes: [UInt8]) throws(PropertyViolation) {
    // An integer takes at least one byte in a message and at most eight in memory.
    let maxBytes = 8 * bytes.count
    if let request = unlessRejected({ try ModelInferMessage.request(bytes, RequestContext()) }) {
      for input in request.inputs {
        try verify(input.binary.count <= maxBytes, "an input is larger than its message")
      }
      let response = InferenceResponse(
        modelName: request.model.name, modelVersion: "1", id: request.id, outputs: request.inputs)
      let copy = ModelInferResponseWriter(request).bytes(of: response)
      try verify(
        (try? ProtobufMessage(copy).forEachField { _, _ in }) != nil, "a response is malformed")
    }
    let message = ProtobufMessage(bytes)
    _ = (message.modelSelector(), message.servingSpec)
    let tensor = unlessRejected {
      try TensorFlowTensor.tensor(message, "x", RequestContext()).filled(RequestContext())
    }
    if let tensor {
      try verify(
        tensor.binary.count <= StandardRoute.maxBodyBytes + 4 * tensor.count,
        "a tensor exceeds the limit")
      var writer = ProtobufWriter()
      TensorFlowTensor.write(tensor, to: &writer)
      let copy = unlessRejected {
        try TensorFlowTensor.tensor(ProtobufMessage(writer.bytes), "x", RequestContext())
      }
      try verify(copy?.binary == tensor.binary, "a tensor does not read back")
    }
  }

  private static let exampleInputs: [(String, TensorDatatype)] = [
    ("i", .int32), ("f", .fp32), ("h", .fp16), ("s", .bytes), ("b", .bool),
  ]

  /// The memory of inputs from examples is limited by the size of the message.
  static func examples(_ bytes: [UInt8]) throws(PropertyViolation) {
    let message = ProtobufMessage(bytes)
    _ = message.firstTaskSpec
    guard
      let examples = unlessRejected({ try TensorFlowExamples(message, in: "x", RequestContext()) })
    else {
      return
    }
    for (name, datatype) in exampleInputs {
      let input = InferenceModelMetadata.TensorMetadata(
        name: name, datatype: datatype, shape: [-1, -1], hasBatchAxis: true, imageLayout: nil,
        hasLabels: false)
      let metadata = InferenceModelMetadata(
        name: "m", version: "1", versions: ["1"], platform: "", inputs: [input], outputs: [],
        maxBatchSize: 1, bundle: nil)
      guard
        let request = unlessRejected({ try examples.request(ModelSelector("m"), metadata) }),
        let tensor = request.inputs.first
      else { continue }
      // A float takes four bytes in a message, an integer or a string at least one.
      try verify(tensor.binary.count <= 5 * bytes.count, "an input is larger than its message")
      try verify(
        (try? InferenceTensor.elementCount(of: tensor.shape, input: name)) == tensor.count,
        "the shape does not match the elements")
    }
  }

  /// A client's bytes do not make the session keep more than the windows allow.
  static func http2(_ bytes: [UInt8]) throws(PropertyViolation) {
    guard let library = try? HTTP2Library.standard, let session = HTTP2Session(library) else {
      return
    }
    var rest = (HTTP2Preface.bytes + bytes)[...]
    while !rest.isEmpty {
      let piece = rest.prefix(1000)
      rest = rest.dropFirst(1000)
      guard let events = session.receive(piece) else { break }
      for event in events {
        switch event {
        case .headers(let id):
          guard let stream = session.streams[id] else { continue }
          session.respond(stream, [(":status", "200")], hasBody: true)
          stream.send([1, 2, 3])
          stream.finish([("grpc-status", "0")])
          session.resume(stream)
        case .data, .closed: break
        case .flood: session.terminateForFlood()
        }
      }
      let count = session.bytesToSend()?.count ?? 0
      try verify(count <= HTTP2Limits.writeBytes + HTTP2Limits.maxFrameBytes, "too much is sent")
    }
    try verify(
      session.streams.count <= HTTP2Limits.maxConcurrentStreams, "there are too many streams")
    for stream in session.streams.values {
      try verify(stream.incoming.count <= bytes.count, "a stream has more bytes than were sent")
    }
  }
}
