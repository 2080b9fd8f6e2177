public import TensorIOBundle
public import TensorIOImage
public import TensorIOJSON

/// What a `chain.json` says: which bundles run one after the other, and what goes from one into the
/// next.
public struct ChainDescription: Sendable, Hashable {
  /// The chain's name, for people.
  public var name: String
  /// Its identifier.
  public var id: String
  /// Its version.
  public var version: String
  /// What a caller gives, in order.
  public var inputs: [String]
  /// What is done, in order.
  public var steps: [ChainStep]

  /// A chain of steps.
  public init(
    name: String = "", id: String = "", version: String = "1", inputs: [String],
    steps: [ChainStep]
  ) {
    (self.name, self.id, self.version) = (name, id, version)
    (self.inputs, self.steps) = (inputs, steps)
  }
}

extension ChainDescription {
  /// The bundles that it names, each once, in the order of the steps.
  package var bundleNames: [String] {
    steps.reduce(into: []) { names, step in
      guard case .bundle(let name, _) = step.kind, !names.contains(name) else { return }
      names.append(name)
    }
  }
}

/// One thing that a chain does.
public struct ChainStep: Sendable, Hashable {
  /// What a step does.
  public enum Kind: Sendable, Hashable {
    /// Runs a bundle, whose inputs are fed from these places.
    case bundle(String, inputs: [String: ChainSource])
    /// Takes what a detector has found out of the picture, each thing as a picture of its own.
    case align(Alignment)
    /// Looks again, from near, at what a detector has found.
    case refine(Refinement)
  }

  /// The name by which later steps speak of it.
  public var name: String
  /// What it does.
  public var kind: Kind

  /// A step of a kind.
  public init(name: String, _ kind: Kind) {
    (self.name, self.kind) = (name, kind)
  }
}

/// Where a step has a value from.
public enum ChainSource: Sendable, Hashable {
  /// The caller.
  case input(String)
  /// What an earlier step made; of a bundle that has several outputs, one of them.
  case step(String, output: String?)
}

/// How things that were found become pictures in which they always stand in the same place.
public struct Alignment: Sendable, Hashable {
  /// The picture that they were found in.
  public var image: ChainSource
  /// The step whose bundle found them.
  public var detections: String
  /// Where their keypoints go, in order; without any, the box becomes the whole picture.
  public var points: [AffineMap.Point]
  /// The width of the pictures.
  public var width: Int
  /// The height of the pictures.
  public var height: Int
  /// Whether they become numbers with a mean of 0 and a deviation of 1.
  public var whitens: Bool

  /// What the width and the height may be.
  public static let allowedSides = 1...4096

  /// Pictures of a size.
  public init(
    image: ChainSource, detections: String, points: [AffineMap.Point] = [], width: Int,
    height: Int, whitens: Bool = false
  ) {
    (self.image, self.detections, self.points) = (image, detections, points)
    (self.width, self.height, self.whitens) = (width, height, whitens)
  }
}

extension Alignment {
  /// The map that brings something to its place; `nil` for what has no size, or no keypoints.
  func map(for detection: Detection) -> AffineMap? {
    guard points.isEmpty else {
      let found = detection.keypoints.prefix(points.count).map { AffineMap.Point(x: $0.x, y: $0.y) }
      return .similarity(from: found, to: points)
    }
    let box = detection.box
    guard box.width > 0, box.height > 0 else { return nil }
    let (x, y) = (Double(width) / box.width, Double(height) / box.height)
    return AffineMap(a: x, b: 0, c: 0, d: y, tx: -box.xmin * x, ty: -box.ymin * y)
  }
}

extension ChainDescription {
  /// The name of the description in the folder of every chain.
  public static let fileName = BundleFolder.chainName

  /// Reads a `chain.json`, or says what is wrong with it.
  public init(json bytes: [UInt8]) throws(ModelError) {
    let report = ChainReport(parsing: bytes)
    guard let description = report.description else {
      throw ModelError(.bundle, .invalidDescription(report.diagnostics))
    }
    self = description
  }
}

/// What came of reading a `chain.json`.
public struct ChainReport: Sendable {
  /// What the document says; `nil` when anything in it is wrong.
  public let description: ChainDescription?
  /// All that is wrong or doubtful, in the order of the text.
  public let diagnostics: [Diagnostic]
  /// The document, where it is JSON at all.
  public let document: JSONDocument?

  /// Reads a `chain.json`, and says all that is wrong with it at once.
  public init(parsing bytes: [UInt8]) {
    do throws(JSONError) {
      let document = try JSONDocument(
        parsing: bytes, limits: .modelDescription, dialect: .modelDescription)
      var reading = ChainParser()
      let description = reading.parse(document.root)
      self.document = document
      self.description = reading.log.hasErrors ? nil : description
      diagnostics = reading.log.diagnostics
    } catch {
      (description, document) = (nil, nil)
      diagnostics = [Diagnostic(error)]
    }
  }
}
