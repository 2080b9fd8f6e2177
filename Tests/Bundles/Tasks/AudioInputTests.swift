import TensorIOAudio
import TensorIOBundle
import TensorIOCore
import TensorIOTasks
import TensorIOTestSupport
import Testing

/// Tests of inputs that take sound.
struct AudioInputTests {
  private static let samples = TensorInfo(name: "x", elementType: .float32, shape: [1, 4])
  private static let labels = "low\nmiddle\nhigh\nnone\n"

  private static func bundle(
    _ members: String = "", shape: String = "[1,4]",
    output: String = #"{"name": "y", "type": "array", "shape": [1,4]}"#, extra: String = ""
  ) throws -> TestBundle {
    try TestBundle(
      inputs:
        #"{"name": "x", "type": "audio", "shape": \#(shape), "rate": 8000\#(members)}"#,
      outputs: output, labels: labels, extra: extra)
  }

  private static func sound(_ samples: [Float], rate: Int = 8000, channels: Int = 1) throws
    -> AudioBuffer
  {
    try AudioBuffer(samples: samples, sampleRate: rate, channelCount: channels)
  }

  @Test func `A short sound is padded with silence`() throws {
    let bundle = try Self.bundle()
    let model = try bundle.open(.identity(Self.samples))
    let output = try model.run(Self.sound([0.5, -0.5]))
    #expect(try output.value(of: "y", as: [Float].self) == [0.5, -0.5, 0, 0])
    #expect(output.windows.map(\.start) == [0])
    #expect(output.windows.map(\.end) == [0.00025])
  }

  @Test(
    arguments: [
      ("", [[1, 2, 3, 4], [5, 6, 0, 0]]),
      (#", "hop": 2"#, [[1, 2, 3, 4], [3, 4, 5, 6]]),
      (#", "remainder": "align""#, [[1, 2, 3, 4], [3, 4, 5, 6]]),
      (#", "remainder": "drop""#, [[1, 2, 3, 4]]),
    ] as [(String, [[Float]])])
  func `A long sound is divided into windows, whose mean is the output`(
    _ members: String, _ expected: [[Float]]
  ) throws {
    let bundle = try Self.bundle(members)
    let model = try bundle.open(.identity(Self.samples))
    let output = try model.run(Self.sound([1, 2, 3, 4, 5, 6]))
    let windows = try output.windows.map { try [Float](#require($0.layers.first).value) }
    #expect(windows == expected)
    let mean = (0..<4).map { index in
      windows.map { $0[index] }.reduce(0, +) / Float(windows.count)
    }
    #expect(try output.value(of: "y", as: [Float].self) == mean)
  }

  @Test func `The windows of a recording carry the state of a model`() throws {
    let number = { (name: String) in TensorInfo(name: name, elementType: .float32, shape: [1, 1]) }
    let model = FakeModel(
      inputs: [Self.samples, number("before")], outputs: [number("sum"), number("after")]
    ) { inputs in
      let sum = (inputs[0] + inputs[1]).values(of: Float.self).reduce(0, +)
      return [[sum].rawBytes, [sum].rawBytes]
    }
    let bundle = try TestBundle(
      inputs: """
        {"name": "x", "type": "audio", "shape": [1,4], "rate": 8000},
        {"name": "before", "type": "array", "shape": [1,1]}
        """,
      outputs: """
        {"name": "sum", "type": "array", "shape": [1,1]},
        {"name": "after", "type": "array", "shape": [1,1]}
        """, extra: #""state": [{"output": "after", "input": "before"}]"#)
    let sound = try Self.sound([1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3])
    let opened = try bundle.open(model)
    for output in [try opened.run(sound), try #require(opened.run(batch: [sound]).first)] {
      let sums = try output.windows.map { try $0.layers[0].value.value(as: Float.self) }
      #expect(sums == [4, 12, 24])
      #expect(try output.value(of: "after", as: Float.self) == 24)
    }
    let stream = opened.stream()
    _ = try stream.run(sound)
    #expect(try stream.run(Self.sound([1, 0, 0, 0])).value(of: "sum", as: Float.self) == 25)
  }

  @Test func `A file, a buffer and samples give the same windows`() throws {
    let bundle = try Self.bundle()
    let model = try bundle.open(.identity(Self.samples))
    let sound = try Self.sound([0.5, 0.25, -0.25, 0.125, 1])
    let expected = try model.run(sound)
    #expect(try model.run(ModelInput.value(.bytes(sound.encoded(as: .float32)))) == expected)
    #expect(try model.run([Float](sound.samples)) == expected)
  }

  @Test func `Integers are the samples of PCM, as in a file`() throws {
    let model = try Self.bundle().open(.identity(Self.samples))
    let expected = try model.run(Self.sound([0.5, -1, 0.25, 0]))
    for samples in [
      Tensor([192, 0, 160, 128] as [UInt8]), Tensor([16_384, -32_768, 8_192, 0] as [Int16]),
      Tensor([1 << 30, .min, 1 << 29, 0] as [Int32]),
    ] {
      let numbers = try #require(Numbers(samples))
      #expect(try model.run(ModelInput.value(.numbers(numbers))) == expected)
    }
    #expect(try model.run([1, 0] as [Int64]) == model.run(Self.sound([1, 0])))
  }

  @Test func `Samples have one channel, or the shape of the tensor`() throws {
    func value(_ shape: [Int]) -> ModelInput {
      .value(.numbers(Numbers(.floats([0.5, 0.25, -0.5, 1]), shape: shape)))
    }
    let model = try Self.bundle().open(.identity(Self.samples))
    let expected = try model.run(value([4]))
    for shape in [[1, 4], [4, 1], [1, 1, 4]] {
      #expect(try model.run(value(shape)) == expected)
    }
    let error = #expect(throws: ModelError.self) { try model.run(value([2, 2])) }
    #expect(
      error?.description
        == "layer 'x': expected the samples of one channel, got numbers with the shape [2, 2]")
    let square = try Self.bundle(
      shape: "[2,2]", output: #"{"name": "y", "type": "array", "shape": [2,2]}"#
    ).open(.identity(TensorInfo(name: "x", elementType: .float32, shape: [2, 2])))
    #expect(try square.run(value([2, 2])) == square.run(value([4])))
  }

  @Test func `Channels are mixed and the rate is converted`() throws {
    let bundle = try Self.bundle()
    let model = try bundle.open(.identity(Self.samples))
    let stereo = try Self.sound([1, 0, 0, 1, 0.5, 0.5, 0, 0], channels: 2)
    #expect(
      try model.run(stereo).value(of: "y", as: [Float].self) == [0.5, 0.5, 0.5, 0])
    let fast = try Self.sound([Float](repeating: 0.25, count: 16), rate: 16_000)
    #expect(try model.run(fast).windows.count == 2)
  }

  @Test func `A tensor with a variable length takes the whole sound`() throws {
    let bundle = try Self.bundle(
      shape: "[1,-1]", output: #"{"name": "y", "type": "array", "shape": [1,-1]}"#)
    let shape = TensorShape(signedDimensions: [1, -1])
    var identity = FakeModel.identity(
      TensorInfo(name: "x", elementType: .float32, shape: shape))
    identity.outputShapes = [[1, 6]]
    let output = try bundle.open(identity).run(Self.sound([1, 2, 3, 4, 5, 6]))
    #expect(output.windows.count == 1)
    #expect(try output.value(of: "y", as: [Float].self) == [1, 2, 3, 4, 5, 6])
  }

  @Test func `A spectrogram has the shape of the tensor`() throws {
    let features =
      #", "features": {"type": "log-mel", "window": 16, "hop": 8, "fft": 16, "bands": 2}"#
    let bundle = try Self.bundle(
      features, shape: "[1,3,2]", output: #"{"name": "y", "type": "array", "shape": [1,3,2]}"#)
    let model = try bundle.open(
      .identity(TensorInfo(name: "x", elementType: .float32, shape: [1, 3, 2])))
    // Silence has the lowest number in all bands.
    let output = try model.run(Self.sound([Float](repeating: 0, count: 32)))
    #expect(output.windows.count == 1)
    #expect(try output.value(of: "y", as: [Float].self).allSatisfy { abs($0 + 23.02585) < 1e-4 })
    let loud = try model.run(Self.sound((0..<32).map { $0 % 2 == 0 ? 1 : -1 }))
    #expect(try loud.value(of: "y", as: [Float].self).max() ?? 0 > -1)
  }

  @Test func `Values that are not sound, damaged files and empty sounds are rejected`() throws {
    let bundle = try Self.bundle()
    let model = try bundle.open(.identity(Self.samples))
    let text = #expect(throws: ModelError.self) { try model.run("text") }
    #expect(text?.code == "wrong-type")
    let damaged = #expect(throws: ModelError.self) {
      try model.run(ModelInput.value(.bytes(Array("RIFF".utf8))))
    }
    #expect(damaged?.layer == "x")
    #expect(damaged?.code == "truncated-audio" || damaged?.code == "unknown-audio-format")
    #expect(throws: ModelError.self) { try model.run(Self.sound([])) }
  }

  @Test func `A sound with too many windows is rejected before it is decoded`() throws {
    let bundle = try Self.bundle()
    let model = try bundle.open(.identity(Self.samples))
    // At one sample per second, 100 samples are 800,000 samples at the rate of the model.
    let slow = try Self.sound([Float](repeating: 0, count: 100), rate: 1)
    let error = #expect(throws: ModelError.self) {
      try model.run(ModelInput.value(.bytes(slow.encoded())))
    }
    #expect(error?.code == "audio-too-long")
  }

  @Test func `The timeline joins windows with the same best class`() throws {
    let output =
      #"{"name": "y", "type": "array", "shape": [1,4], "labels": "labels.txt"}"#
    let bundle = try Self.bundle(output: output, extra: #""task": {"type": "classification"}"#)
    let model = try bundle.open(.identity(Self.samples))
    let sound = try Self.sound([1, 0, 0, 0, 0.5, 0, 0, 0, 0, 0, 1, 0])
    let timeline = try model.run(sound).timeline
    #expect(timeline.map(\.label) == ["low", "high"])
    #expect(timeline.map(\.score) == [0.75, 1])
    #expect(timeline.map(\.start) == [0, 0.001])
    let processed = try TaskPostprocessor(model).process(model.run(sound))
    #expect(processed.output.layers.isEmpty)
    #expect(processed.result?.textLines.contains { $0.contains("timeline") } == true)
  }

  @Test func `Intervals of overlapping windows do not overlap`() throws {
    let output =
      #"{"name": "y", "type": "array", "shape": [1,4], "labels": "labels.txt"}"#
    let bundle = try Self.bundle(
      #", "hop": 2"#, output: output, extra: #""task": {"type": "classification"}"#)
    let model = try bundle.open(.identity(Self.samples))
    let timeline = try model.run(Self.sound([1, 0, 0, 0, 0, 3, 0, 0])).timeline
    #expect(timeline.map(\.label) == ["low", "none", "middle"])
    #expect(timeline.map(\.start) == [0, 0.000375, 0.000625])
    #expect(timeline.map(\.end) == [0.000375, 0.000625, 0.001])
  }

  @Test(arguments: [
    (#""rate": 0"#, "setting-out-of-range"), (#""rate": "8000""#, "wrong-type"),
    (#""rate": 8000, "hop": 0"#, "setting-out-of-range"),
    (#""rate": 8000, "remainder": "keep""#, "unknown-setting"),
    (#""hop": 4"#, "missing-key"),
    (
      #""rate": 8000, "features": {"type": "log-mel", "window": 16, "hop": 8, "bands": 4, "fft": 14}"#,
      "setting-out-of-range"
    ),
  ])
  func `An invalid declaration is rejected`(_ members: String, _ code: String) throws {
    let bundle = try TestBundle(
      inputs: #"{"name": "x", "type": "audio", "shape": [1,4], \#(members)}"#)
    let error = #expect(throws: ModelError.self) { try bundle.read() }
    #expect(error?.code == code)
  }

  @Test func `Outputs can be sound, and only inputs text`() throws {
    let sound = try TestBundle(
      outputs: #"{"name": "y", "type": "audio", "shape": [2], "rate": 8000}"#
    ).read()
    guard case .audio(let layer) = sound.description.outputs[0].kind else {
      Issue.record("no sound")
      return
    }
    #expect(layer.sampleRate == 8000)
    let bundle = try TestBundle(outputs: #"{"name": "y", "type": "text", "shape": [2]}"#)
    let error = #expect(throws: ModelError.self) { try bundle.read() }
    #expect(error?.code == "unknown-layer-type")
  }
}
