import TensorIOImage

@testable import TensorIOBundle
@testable import TensorIOCore
@testable import TensorIOTasks

/// The outputs of a model with a task, made of fuzzed bytes.
///
/// The bytes begin with the members of a `model.json` that describe inputs, outputs and the task, and a
/// zero. Then come the width and the height of the image that the model has seen, and a ``FuzzedTensor``
/// for each output.
struct FuzzedOutput {
  let source: OutputSource
  let output: ModelOutput
  /// The image that the model has seen.
  let image: ImageBuffer
  /// Whether the model has an image input, so that results are in pixels of the image.
  let hasGeometry: Bool

  /// The maximum number of pixels of the model's input; more would slow down fuzzing.
  private static let maxPixels = 1 << 14
  private static let prefix = Array(
    """
    {"name": "a", "details": "", "id": "a", "version": "1", "author": "", "license": "",
     "placeholder": false, "examples": [],
     "model": {"file": "a.tflite", "quantized": false, "backend": "tflite", "modes": ["predict"]},
    """.utf8)

  /// Creates outputs; `nil` if the bytes do not describe any.
  init?(_ bytes: [UInt8]) throws(PropertyViolation) {
    guard let end = bytes.firstIndex(of: 0), bytes.first == UInt8(ascii: "{") else { return nil }
    let files = try Self.files()
    let reader = DescriptionReader(tasks: TaskRegistry.standard.formats)
    let report = reader.read(Self.prefix + bytes[1..<end])
    guard let description = report.description else { return nil }
    var rest = bytes[(end + 1)...]
    guard let width = rest.popFirst(), let height = rest.popFirst() else { return nil }
    guard
      let image = unlessRejected({
        let (width, height) = (Int(width % 64) + 1, Int(height % 64) + 1)
        return try ImageBuffer(
          width: width, height: height, format: .rgb,
          pixels: [UInt8](repeating: 90, count: 3 * width * height))
      })
    else { throw PropertyViolation(description: "an image is rejected") }
    self.image = image
    var layers: [ModelOutput.Layer] = []
    for layer in description.outputs {
      guard let value = FuzzedTensor.value(of: layer, &rest) else { return nil }
      layers.append(ModelOutput.Layer(name: layer.name, value: value))
    }
    let bundle = ModelBundle(description, at: files.path, sharingFilesOf: files)
    source = OutputSource(bundle, description)
    var geometries: [ImageGeometry?] = []
    for layer in description.inputs {
      guard case .image(let input) = layer.kind else {
        geometries.append(nil)
        continue
      }
      guard input.width * input.height <= Self.maxPixels else { return nil }
      let preparation = ImagePreparation(
        width: input.width, height: input.height, fit: input.fit, filter: input.filter,
        pad: input.pad, fitAnchor: input.fitAnchor)
      geometries.append(unlessRejected { try preparation.rows(of: image).geometry })
    }
    hasGeometry = geometries.contains { $0 != nil }
    output = ModelOutput(layers: layers, imageGeometries: geometries).from(source)
  }

  /// The bundle whose files outputs refer to: labels and anchors.
  private static func files() throws(PropertyViolation) -> ModelBundle {
    guard let cached else {
      throw PropertyViolation(description: "the bundle with labels cannot be opened")
    }
    return cached
  }

  private static let cached: ModelBundle? = unlessRejected {
    let layer = #"[{"name": "x", "type": "array", "shape": [1]}]"#
    let layers = #""inputs": \#(layer), "outputs": \#(layer)}"#
    _ = try FuzzedFile.holding(
      prefix + Array(layers.utf8), named: "outputs.tiobundle/model.json")
    for (name, text) in [
      ("labels", "background\ncat\n\ndog\n"), ("anchors", "0.5 0.5 1 1\n0.25,0.25,0.1,0.2\n"),
    ] {
      _ = try FuzzedFile.holding(Array(text.utf8), named: "outputs.tiobundle/assets/\(name).txt")
    }
    return try ModelBundle(at: "\(FuzzedFile.folder())/outputs.tiobundle")
  }
}

/// A tensor made of fuzzed bytes: a kind, the number of dimensions, the dimensions, the number of values,
/// and the values, which are repeated if the shape has more elements.
enum FuzzedTensor {
  /// The maximum number of elements; more would slow down fuzzing.
  private static let maxElements = 1 << 14
  private static let largeDimensions = [
    Int(Int32.max), 1 << 30, 1 << 20, 65_536, 65_535, 8400, 1000, 300,
  ]
  private static let specialValues: [Float] = [
    .nan, .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
    .leastNonzeroMagnitude, -0.0, 1e9, 1e20, -1e20, 2_147_483_648, 9_223_372_036_854_775_808, 0.5,
    -1, 65_535, -200,
  ]

  /// Returns the value of an output; `nil` if the bytes end too early or the shape is too large.
  static func value(of layer: Layer, _ bytes: inout ArraySlice<UInt8>) -> LayerValue? {
    guard let kind = bytes.popFirst(), let rank = bytes.popFirst() else { return nil }
    var shape = layer.shape.dimensions.map { $0 ?? 1 }
    if rank != .max {
      shape = []
      for _ in 0..<rank % 6 {
        guard let length = bytes.popFirst() else { return nil }
        shape.append(length < 248 ? Int(length) : largeDimensions[Int(length) - 248])
      }
    }
    guard let length = bytes.popFirst(), let count = shape.checkedProduct, count <= maxElements
    else { return nil }
    let source = Array(bytes.prefix(Int(length)))
    bytes = bytes.dropFirst(Int(length))
    let pool = source.isEmpty ? [0] : source
    let codes = (0..<count).map { pool[$0 % pool.count] }
    return switch kind % 12 {
    case 0: numbers(codes.map { number($0, scale: 64) }, shape)
    case 1: numbers(codes.map { number($0, scale: 1) }, shape)
    case 2: numbers(codes.map { number($0, scale: 8, offset: 120) }, shape)
    case 3: numbers(bitPatterns(pool, count), shape)
    case 4: .numbers(Numbers(.doubles(codes.map { Double(number($0, scale: 16)) }), shape: shape))
    case 5: .numbers(Numbers(.integers(codes.map { integer($0) }), shape: shape))
    case 6: .numbers(Numbers(.booleans(codes.map { $0 % 2 == 1 }), shape: shape))
    case 7: Numbers(Tensor(codes, shape: shape)).map { .numbers($0) } ?? .bytes(codes)
    case 8:
      .classification(
        Classification(labels: ["a", "b"], scores: codes.map { number($0, scale: 64) }))
    case 9: .bytes(codes)
    case 10: .strings(Strings(codes.map { "\($0)" }))
    default: .list(codes.prefix(8).map { .number(Double(number($0, scale: 64))) })
    }
  }

  private static func numbers(_ values: [Float], _ shape: [Int]) -> LayerValue {
    .numbers(Numbers(.floats(values), shape: shape))
  }

  /// Returns the number that a byte stands for.
  static func number(_ code: UInt8, scale: Float, offset: Float = 0) -> Float {
    code < 240 ? (Float(code) - offset) / scale : specialValues[Int(code) - 240]
  }

  private static func integer(_ code: UInt8) -> Int64 {
    switch code {
    case 255: .max
    case 254: .min
    case 253: 65_535
    case 252: -1
    default: Int64(code)
    }
  }

  /// Returns numbers whose bits are those of the bytes.
  private static func bitPatterns(_ pool: [UInt8], _ count: Int) -> [Float] {
    (0..<count).map { index in
      let bits = (0..<4).reduce(UInt32(0)) { bits, offset in
        bits << 8 | UInt32(pool[(4 * index + offset) % pool.count])
      }
      return Float(bitPattern: bits)
    }
  }
}
