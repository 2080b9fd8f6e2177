package import TensorIOBundle
package import TensorIOCore
import TensorIOImage
import TensorIOJSON
import TensorIOTasks

/// What a bundle's description states about its model, as metadata that a model file can contain:
/// the inverse of a draft.
package struct MetadataExport: Sendable {
  /// The metadata, with the tensors in the order of the layers.
  package private(set) var metadata = ModelMetadata()
  /// The files with labels.
  package private(set) var files: [EmbeddedFile] = []

  private let bundle: ModelBundle
  private let description: ModelDescription

  /// Collects the metadata of a bundle.
  ///
  /// - Parameters:
  ///   - bundle: The bundle.
  ///   - signature: The tensors of its model, in the order of the layers.
  /// - Throws: `ModelError` if labels cannot be read.
  package init(_ bundle: ModelBundle, _ signature: ModelSignature) throws(ModelError) {
    self.bundle = bundle
    description = bundle.description.resolved(for: bundle.description.defaultMode)
    metadata.name = description.name
    metadata.details = description.details
    metadata.version = description.version
    metadata.author = description.author
    metadata.license = description.license
    metadata.inputs = zip(description.inputs, signature.inputs).map(Self.metadata(ofInput:_:))
    for layer in description.outputs { metadata.outputs.append(try metadata(ofOutput: layer)) }
  }

  // MARK: Inputs

  private static func metadata(
    ofInput layer: Layer, _ tensor: TensorInfo
  ) -> ModelMetadata.TensorMetadata {
    var result = ModelMetadata.TensorMetadata()
    result.name = layer.name
    switch layer.kind {
    case .image(let image):
      result.content = .image(isColored: image.isColored)
      if let normalize = image.normalize {
        (result.mean, result.standardDeviation) = normalize.statistics(image.format)
      } else if tensor.elementType.isFloatingPoint {
        (result.mean, result.standardDeviation) = ([0], [1])
      }
    case .array, .scalar: result.content = .features
    case .string, .text, .audio: break
    }
    return result
  }

  // MARK: Outputs

  private mutating func metadata(
    ofOutput layer: Layer
  ) throws(ModelError) -> ModelMetadata.TensorMetadata {
    var result = ModelMetadata.TensorMetadata()
    result.name = layer.role.flatMap { Self.conventionalNames[$0] } ?? layer.name
    if case .image(let image) = layer.kind {
      result.content = .image(isColored: image.isColored)
    } else if layer.isNumeric {
      result.content = .features
    }
    if layer.role == .boxes, let boxes {
      result.content = .boundingBoxes
      result.boxes = boxes
    }
    if layer.role == .scores || layer.role == nil && layer.labelsFile != nil {
      result.scoreThreshold = description.task?.settings["threshold"]?.double.map(Float.init)
    }
    try addCalibration(of: layer, to: &result)
    let labels = try bundle.labels(for: layer)
    if let file = layer.labelsFile, !labels.isEmpty {
      // Without the labels that a label offset skips.
      let bytes = Array(labels.map { $0 + "\n" }.joined().utf8)
      result.labelFiles = [addFile(named: file, bytes, otherwise: "labels")]
      result.hasValueLabels = layer.role == .classes || layer.role == .mask
    }
    return result
  }

  /// The names by which readers of metadata recognize the outputs of detectors.
  private static let conventionalNames: [OutputRole: String] = [
    .boxes: "location", .classes: "category", .scores: "score", .count: "number of detections",
  ]

  /// The order and unit of the numbers of a box; `nil` if the boxes have to be decoded.
  private var boxes: ModelMetadata.BoxProperties? {
    guard let task = description.task,
      TaskRegistry.shared.format(of: task)?.hasLabeledScores(task) ?? false
    else { return nil }
    let isInPixels = task.settings["coordinates"]?.string == "pixels"
    switch task.settings["box_order"]?.string {
    case "xyxy": return .init(.boundaries, order: [0, 1, 2, 3], isInPixels: isInPixels)
    case "cxcywh": return .init(.center, order: [0, 1, 2, 3], isInPixels: isInPixels)
    default: return .init(.boundaries, order: [1, 0, 3, 2], isInPixels: isInPixels)
    }
  }

  /// Adds the calibration of an output's scores, with a line for each label that the metadata has.
  private mutating func addCalibration(
    of layer: Layer, to result: inout ModelMetadata.TensorMetadata
  ) throws(ModelError) {
    let labeled =
      layer.labelsFile == nil ? description.outputs.first { $0.role == .classes } : layer
    guard var declared = layer.calibration,
      let calibration = try bundle.calibration(of: layer, labeledBy: labeled)
    else { return }
    declared.file = addFile(
      named: Self.calibrationFileName, calibration.fileBytes, otherwise: "calibration")
    result.calibration = declared
  }

  /// The name of the file with the calibration.
  private static let calibrationFileName = "score_calibration.txt"

  /// Adds a file unless it is there already, and returns its name.
  ///
  /// - Parameters:
  ///   - name: The name of the file, or its path.
  ///   - bytes: The contents of the file.
  ///   - stem: The beginning of the name if another file has the first one.
  /// - Returns: The name of the file with these contents.
  private mutating func addFile(
    named name: String, _ bytes: [UInt8], otherwise stem: String
  ) -> String {
    let name = name.split(separator: "/").last.map(String.init) ?? name
    guard let existing = files.first(where: { $0.name == name }) else {
      files.append(EmbeddedFile(name: name, bytes: bytes))
      return name
    }
    guard existing.bytes != bytes else { return name }
    let other = "\(stem)-\(files.count + 1).txt"
    files.append(EmbeddedFile(name: other, bytes: bytes))
    return other
  }
}

extension ImageLayer {
  /// Whether the image has the colors red, green and blue, or is gray; `nil` for another order of
  /// colors, which metadata cannot express.
  fileprivate var isColored: Bool? {
    switch format {
    case .gray: false
    case .rgb: true
    default: nil
    }
  }
}

extension Normalization {
  /// The mean and standard deviation of pixels from 0 to 255 that the normalization is equivalent
  /// to, one of each if they are equal; empty if a scale is 0.
  fileprivate func statistics(_ format: PixelFormat) -> (mean: [Float], deviation: [Float]) {
    switch standardRange {
    case .minusOneToOne: return ([127.5], [127.5])
    case .zeroToOne: return ([0], [255])
    case nil: break
    }
    let colors: [KeyPath<ColorTriple, Float>] =
      switch format {
      case .gray: [\.red]
      case .rgb: [\.red, \.green, \.blue]
      default: [\.blue, \.green, \.red]
      }
    let scales = colors.map { Double(scale[keyPath: $0]) }
    guard scales.allSatisfy({ $0 != 0 && $0.isFinite }) else { return ([], []) }
    let biases = colors.map { Double(bias[keyPath: $0]) }
    let mean = zip(biases, scales).map { Float($0 == 0 ? 0 : -$0 / $1) }
    let deviation = scales.map { Float(1 / $0) }
    guard Set(mean).count == 1, Set(deviation).count == 1 else { return (mean, deviation) }
    return ([mean[0]], [deviation[0]])
  }
}
