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
  let source: ModelInfo
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
    let reader = DescriptionReader(tasks: .standard)
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
    source = ModelInfo(bundle, description)
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
