import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// Messages in protobuf's format.
@Suite struct ProtobufTests {
  @Test func `Written fields read back`() throws {
    var writer = ProtobufWriter()
    writer.varint(1, .max)
    writer.string(2, "a")
    writer.string(3, "")
    writer.packed(4, [1, -2, 300])
    writer.fixed32(5, Float(0.5).bitPattern)
    writer.fixed64(6, Double(-2).bitPattern)
    writer.message(7) { $0.bool(1, true) }
    var numbers: [UInt64] = []
    try ProtobufMessage(writer.bytes).forEachField { (number, value) throws(ProtobufError) in
      numbers.append(number)
      switch value {
      case .varint(let integer): #expect(integer == .max)
      case .fixedWidth(let bytes):
        #expect(
          bytes.littleEndian
            == (bytes.count == 4 ? UInt64(Float(0.5).bitPattern) : Double(-2).bitPattern))
      case .lengthDelimited(let bytes):
        if number == 2 { #expect(try bytes.string() == "a") }
        if number == 4 { #expect(try bytes.integers() == [1, -2, 300]) }
        if number == 7 { #expect(bytes.contents == [8, 1]) }
      }
    }
    #expect(numbers == [1, 2, 4, 5, 6, 7])
  }

  @Test func `JSON becomes a message with the numbers of the schema`() throws {
    let bytes = try ProtobufSchema.standard.message("inference.ModelConfigResponse") { writer in
      writer.member(
        "config",
        object: { writer in
          writer.member("name", "m")
          writer.member("max_batch_size", 8)
          writer.member("unknown", 1)
          writer.member(
            "input", array: { $0.object { $0.member("data_type", "TYPE_FP32") } })
          writer.member(
            "parameters", object: { $0.member("k", object: { $0.member("string_value", "v") }) })
        })
    }
    let expected = WireWriter {
      $0.message(1) {
        $0.text(1, "m")
        $0.number(4, 8)
        $0.message(5) { $0.number(2, 11) }
        $0.message(14) {
          $0.text(1, "k")
          $0.message(2) { $0.text(1, "v") }
        }
      }
    }
    #expect(bytes == expected.bytes)
  }

  @Test func `JSON of a wrong type is an error`() {
    #expect(throws: ProtobufConversionError.self) {
      try ProtobufSchema.standard.message("inference.ServerReadyResponse") {
        $0.member("ready", "yes")
      }
    }
    #expect(throws: ProtobufConversionError.self) {
      try ProtobufSchema.standard.message("inference.ModelInput") {
        $0.member("data_type", "TYPE_NOTHING")
      }
    }
  }

  @Test func `Every type of the schema is defined, and numbers are unique`() {
    let schema = ProtobufSchema.standard
    for file in schema.files {
      for message in file.messages {
        #expect(Set(message.fields.map(\.number)).count == message.fields.count, "\(message.name)")
        for field in message.fields {
          var type = field.type
          if case .map(_, let value) = type { type = value }
          guard case .named(let name) = type else { continue }
          #expect(schema.message(name) != nil || schema.enumeration(name) != nil, "\(name)")
        }
      }
    }
  }
}

/// Requests for inference as messages.
@Suite struct ModelInferMessageTests {
  static func request(
    datatype: String = "INT32", shape: [Int] = [1, 2], raw: [UInt8]? = nil,
    contents: (inout WireWriter) -> Void = { _ in }
  ) -> [UInt8] {
    WireWriter {
      $0.text(1, "m")
      $0.message(5) {
        $0.text(1, "x")
        $0.text(2, datatype)
        for length in shape { $0.number(3, length) }
        let content = WireWriter(contents).bytes
        if !content.isEmpty { $0.bytes(5, content) }
      }
      if let raw { $0.bytes(7, raw) }
    }.bytes
  }

  @Test func `All fields are read`() throws {
    let bytes = WireWriter {
      $0.text(1, "m")
      $0.text(2, "7")
      $0.text(3, "id")
      $0.message(4) {
        $0.text(1, "p")
        $0.message(2) { $0.number(2, -5) }
      }
      $0.message(5) {
        $0.text(1, "x")
        $0.text(2, "UINT8")
        $0.bytes(3, [1, 3])
      }
      $0.message(6) {
        $0.text(1, "y")
        $0.message(2) {
          $0.text(1, "classification")
          $0.message(2) { $0.number(2, 3) }
        }
      }
      $0.bytes(7, [1, 2, 3])
      $0.text(99, "ignored")
    }.bytes
    let request = try ModelInferMessage.request(bytes, RequestContext())
    #expect(request.model == ModelSelector("m", version: "7") && request.id == "id")
    #expect(request.parameters == ["p": .int(-5)])
    #expect(request.inputs[0].shape == [1, 3] && request.inputs[0].binary == [1, 2, 3])
    #expect(request.outputs[0].name == "y" && request.outputs[0].classCount == 3)
    #expect(ProtobufMessage(bytes).modelSelector() == ModelSelector("m", version: "7"))
  }

  @Test func `Typed contents are packed or not`() throws {
    let packed = Self.request {
      $0.bytes(2, [1, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1])
    }
    let unpacked = Self.request {
      $0.number(2, 1)
      $0.number(2, -2)
    }
    for bytes in [packed, unpacked] {
      let input = try ModelInferMessage.request(bytes, RequestContext()).inputs[0]
      #expect(input.binary == [1, 0, 0, 0, 254, 255, 255, 255])
    }
    let floats = Self.request(datatype: "FP32") { $0.bytes(6, [0, 0, 0, 63, 0, 0, 128, 63]) }
    #expect(
      try ModelInferMessage.request(floats, RequestContext()).inputs[0].binary == [
        0, 0, 0, 63, 0, 0, 128, 63,
      ])
    let texts = Self.request(datatype: "BYTES") {
      $0.text(8, "a")
      $0.text(8, "")
    }
    #expect(try ModelInferMessage.request(texts, RequestContext()).inputs[0].strings == [[97], []])
  }

  @Test(arguments: [
    request(raw: [1, 2, 3]), request(datatype: "FLOAT", raw: [0, 0, 0, 0, 0, 0, 0, 0]),
    request(shape: [1, -2], raw: []), request(shape: [1 << 40, 1 << 40], raw: []),
    request(datatype: "BYTES", shape: [1], raw: [255, 255, 255, 255]),
    request(raw: [0, 0, 0, 0, 0, 0, 0, 0]) { $0.number(2, 1) },
    request { $0.number(3, 1) },
    request(datatype: "INT8") { $0.number(2, 200) },
    request(datatype: "UINT8") { $0.number(4, 256) },
    request(datatype: "FP16") { $0.bytes(6, [0, 0, 0, 0]) },
  ])
  func `An invalid input is named`(bytes: [UInt8]) {
    let error = #expect(throws: ClientError.self) {
      try ModelInferMessage.request(bytes, RequestContext())
    }
    #expect(error?.status == .badRequest)
    #expect(error?.message.hasPrefix("input 'x': ") == true, "\(error?.message ?? "")")
  }

  @Test(
    arguments: [
      [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F], [0x0A, 0x05, 1], [0x08], [0x0B], [0, 0],
      [0x2A, 3, 0x1A, 1, 0x80], [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F],
      Array(repeating: [0x3A, 0] as [UInt8], count: 2000).flatMap(\.self),
      Array(repeating: [0x2A, 0] as [UInt8], count: 2000).flatMap(\.self),
      [0x2A, 4, 0x2A, 2, 0x15, 0],
    ] as [[UInt8]])
  func `A malformed message is rejected`(bytes: [UInt8]) {
    let error = #expect(throws: ClientError.self) {
      try ModelInferMessage.request(bytes, RequestContext())
    }
    #expect(error?.status == .badRequest && error?.message.contains("ModelInferRequest") == true)
  }

  @Test func `A request has as many raw contents as inputs, and a model`() {
    let many = Self.request(raw: [0, 0, 0, 0, 0, 0, 0, 0]) + [0x3A, 0]
    #expect(throws: ClientError.self) { try ModelInferMessage.request(many, RequestContext()) }
    #expect(throws: ClientError.self) { try ModelInferMessage.request([], RequestContext()) }
  }
}

/// Tensors of TensorFlow Serving as messages.
@Suite struct TensorFlowTensorTests {
  private static func proto(
    _ type: Int, _ shape: [Int], _ values: (inout WireWriter) -> Void
  ) -> ProtobufMessage {
    ProtobufMessage(
      WireWriter {
        $0.number(1, type)
        $0.message(2) { for length in shape { $0.message(2) { $0.number(1, length) } } }
        values(&$0)
      }.bytes)
  }

  @Test func `Elements are in the memory or in typed fields`() throws {
    let memory = Self.proto(3, [2]) { $0.bytes(4, [1, 0, 0, 0, 2, 0, 0, 0]) }
    let typed = Self.proto(3, [2]) { $0.bytes(7, [1, 2]) }
    for message in [memory, typed] {
      let tensor = try TensorFlowTensor.tensor(message, "x", RequestContext())
      #expect(tensor.datatype == .int32 && tensor.binary == [1, 0, 0, 0, 2, 0, 0, 0])
    }
    let last = try TensorFlowTensor.tensor(
      Self.proto(10, [3]) { $0.bytes(11, [0, 1]) }, "x", RequestContext()
    ).filled(RequestContext())
    #expect(last.datatype == .bool && last.binary == [0, 1, 1])
    let texts = try TensorFlowTensor.tensor(
      Self.proto(7, [2]) { $0.text(8, "a") }, "x", RequestContext()
    ).filled(RequestContext())
    #expect(texts.strings == [[97], [97]])
    let half = try TensorFlowTensor.tensor(
      Self.proto(19, [1]) { $0.number(13, 0x3C00) }, "x", RequestContext())
    #expect(half.datatype == .fp16 && half.binary == [0, 0x3C])
  }

  @Test func `Written tensors read back`() throws {
    let tensors = [
      InferenceTensor("x", .fp32, shape: [1, 1], .bytes([0, 0, 128, 63])),
      InferenceTensor("x", .uint64, shape: [1], .bytes([1, 2, 3, 4, 5, 6, 7, 8])),
      InferenceTensor("x", .bytes, shape: [2], .strings([[1], []])),
    ]
    for tensor in tensors {
      var writer = ProtobufWriter()
      TensorFlowTensor.write(tensor, to: &writer)
      let copy = try TensorFlowTensor.tensor(ProtobufMessage(writer.bytes), "x", RequestContext())
      #expect(copy.datatype == tensor.datatype && copy.shape == tensor.shape)
      #expect(copy.binary == tensor.binary)
    }
  }

  @Test func `An invalid tensor is named`() {
    for message in [
      Self.proto(8, [1]) { _ in }, Self.proto(3, [-1]) { _ in },
      Self.proto(3, [2]) { $0.bytes(4, [1]) }, Self.proto(7, [1]) { $0.bytes(4, [1]) },
      Self.proto(6, [1]) { $0.number(7, 300) }, Self.proto(3, [1]) { $0.number(10, 3) },
      Self.proto(3, [1 << 30]) { $0.number(7, 3) }, ProtobufMessage([0x0A]),
    ] {
      let error = #expect(throws: ClientError.self) {
        try TensorFlowTensor.tensor(message, "x", RequestContext()).filled(RequestContext())
      }
      #expect(error?.message.hasPrefix("input 'x': ") == true)
    }
  }
}
