package import TensorIOBundle
package import TensorIOImage
package import TensorIOJSON

/// The parsed contents of `chain.json`: the steps of a chain and the connections between them.
package struct ChainDescription: Sendable, Hashable {
  /// The display name of the chain.
  package var name: String
  /// The identifier of the chain.
  package var id: String
  /// The version of the chain.
  package var version: String
  /// A description of what the chain does.
  package var details = ""
  /// The names of the chain's inputs, in order.
  package var inputs: [String]
  /// The steps, in order.
  package var steps: [ChainStep]

  /// Creates a description.
  package init(
    name: String = "", id: String = "", version: String = "1", inputs: [String],
    steps: [ChainStep]
  ) {
    (self.name, self.id, self.version) = (name, id, version)
    (self.inputs, self.steps) = (inputs, steps)
  }
}

extension ChainDescription {
  /// The names of the bundles without duplicates, in the order of the steps.
  package var bundleNames: [String] {
    steps.reduce(into: []) { names, step in
      guard case .bundle(let name, _) = step.kind, !names.contains(name) else { return }
      names.append(name)
    }
  }
}

/// A step of a chain.
package struct ChainStep: Sendable, Hashable {
  /// The operation of a step.
  package enum Kind: Sendable, Hashable {
    /// Runs a bundle. Each of its inputs has a source.
    case bundle(String, inputs: [String: ChainSource])
    /// Extracts each detection from an image and aligns it.
    case align(Alignment)
    /// Runs the detector again on an enlarged region around each detection.
    case refine(Refinement)
    /// Extracts a turned, square region around each object.
    case region(RegionCrop)
    /// Extracts each line of text as an upright image.
    case crop(LineCrop)
    /// Turns images by the angles that a classifier finds.
    case turn(OrientationTurn)
  }

  /// Whether the step runs a bundle.
  package var runsBundle: Bool { if case .bundle = kind { true } else { false } }

  /// The name of the step, which later steps refer to.
  package var name: String
  /// The operation of the step.
  package var kind: Kind
  /// The number of images that a bundle runs on at once; `nil` to run on each alone.
  package var batch: Int?

  /// Creates a step.
  package init(name: String, _ kind: Kind, batch: Int? = nil) {
    (self.name, self.kind, self.batch) = (name, kind, batch)
  }
}

/// The source of a value.
package enum ChainSource: Sendable, Hashable {
  /// An input of the chain.
  case input(String)
  /// The output of an earlier step. If its bundle has several outputs, one of them is named.
  case step(String, output: String?)
}

/// The alignment of detections: each is extracted as an image with a fixed layout.
package struct Alignment: Sendable, Hashable {
  /// The image in which the objects were detected.
  package var image: ChainSource
  /// The step that detected the objects.
  package var detections: String
  /// The target positions of the keypoints, in order.
  ///
  /// If empty, the box is scaled to the image's size.
  package var points: [AffineMap.Point]
  /// The width of the aligned images.
  package var width: Int
  /// The height of the aligned images.
  package var height: Int
  /// Whether the images are standardized to a mean of 0 and a standard deviation of 1.
  package var whitens: Bool

  /// The allowed range of the width and the height.
  package static let allowedSides = 1...4096

  /// Creates an alignment.
  package init(
    image: ChainSource, detections: String, points: [AffineMap.Point] = [], width: Int,
    height: Int, whitens: Bool = false
  ) {
    (self.image, self.detections, self.points) = (image, detections, points)
    (self.width, self.height, self.whitens) = (width, height, whitens)
  }
}

extension Alignment {
  /// Returns the map from the image to the aligned image; `nil` if the detection has no area or no
  /// keypoints.
  func map(for detection: Detection) -> AffineMap? {
    guard points.isEmpty else {
      let keypoints = detection.keypoints.prefix(points.count).map {
        AffineMap.Point(x: $0.x, y: $0.y)
      }
      return .similarity(from: keypoints, to: points)
    }
    let box = detection.box
    guard box.width > 0, box.height > 0 else { return nil }
    let (x, y) = (Double(width) / box.width, Double(height) / box.height)
    return AffineMap(a: x, b: 0, c: 0, d: y, tx: -box.xmin * x, ty: -box.ymin * y)
  }
}

extension ChainDescription {
  /// The name of the description file in a chain's folder.
  package static let fileName = BundleFolder.chainName

  /// The `chain.json`.
  package var json: [UInt8] {
    var writer = JSONWriter(.indented)
    Self.format.write(self, &writer)
    return writer.bytes + [ASCII.lineFeed]
  }

  /// Parses a `chain.json`, throwing its diagnostics if it is invalid.
  package init(json bytes: [UInt8]) throws(ModelError) {
    let report = ChainReport(parsing: bytes)
    guard let description = report.description else {
      throw ModelError(.bundle, .invalidDescription(report.diagnostics))
    }
    self = description
  }
}

/// The result of parsing a `chain.json`.
package struct ChainReport: Sendable {
  /// The description; `nil` if there are errors.
  package let description: ChainDescription?
  /// The errors and warnings, in the order of the text.
  package let diagnostics: [Diagnostic]
  /// The document; `nil` if it is not valid JSON.
  package let document: JSONDocument?

  /// Parses a `chain.json`.
  package init(parsing bytes: [UInt8]) {
    do throws(JSONError) {
      let document = try JSONDocument(
        parsing: bytes, limits: .modelDescription, dialect: .modelDescription)
      var reader = FormatReader()
      let description = ChainDescription.format.read(document.root, &reader)
      self.document = document
      self.description = reader.log.hasErrors ? nil : description
      diagnostics = reader.log.diagnostics
    } catch {
      (description, document) = (nil, nil)
      diagnostics = [Diagnostic(error)]
    }
  }
}
