import TensorIOBundle
package import TensorIOCore
import TensorIOImage
import TensorIOTasks

/// The numbers of a model's inputs and results whose distributions are compared, and its embeddings.
package struct DriftFeatures: Sendable {
  /// What a number describes.
  package enum Source: String, Sendable, Hashable, CaseIterable {
    /// An input of the model.
    case input
    /// A result of the model.
    case output
  }

  /// A number that items have.
  package struct Feature: Sendable, Hashable {
    /// The name: that of the input or output, and what is measured of it.
    package let name: String
    /// What the number describes.
    package let source: Source
    /// The number of classes, if the number is a class; `nil` for other numbers.
    package var classCount: Int?
  }

  /// The numbers and the vector of an item.
  package struct Reading: Sendable {
    /// A number for each feature; NaN if there is none.
    package var numbers: [Double]
    /// The embedding with unit length; `nil` without one.
    package var vector: [Float]?
  }

  /// How the features of a layer are read.
  private enum Reader: Sendable {
    /// The brightness, the contrast and the aspect ratio of an image, and the position of the input.
    case image(input: String, position: Int)
    /// Each element of a layer.
    case elements(String, Source, count: Int)
    /// The mean and the deviation of the elements.
    case moments(String, Source)
    /// The length of a text in bytes.
    case length(String, Source)
    /// The largest score, and its class.
    case classes(String)
    /// The number of objects, and the largest score.
    case objects(ResultReading.Function<[Detection]>)

    /// The number of features.
    var count: Int {
      switch self {
      case .image: 3
      case .elements(_, _, let count): count
      case .moments, .classes, .objects: 2
      case .length: 1
      }
    }
  }

  /// The maximum number of elements of a layer that are features of their own.
  private static let maxElements = 256
  /// The maximum number of classes whose frequencies are compared.
  private static let maxClasses = 256
  /// The maximum number of features of a model.
  package static let maxCount = 1000
  /// The maximum number of components of an embedding.
  package static let maxDimensions = 1 << 14

  /// The features, in the order of the numbers of a reading.
  package private(set) var features: [Feature] = []
  private var readers: [Reader] = []
  private var embedding: ResultReading.Function<Embedding>?
  /// The names of the inputs, in order.
  private let inputs: [String]

  /// Finds the features of a model.
  package init(_ model: Model) {
    inputs = model.callerInputs.map(\.name)
    for (position, layer) in model.callerInputs.enumerated() { add(input: layer, position) }
    if model.hasResults(as: .boxes),
      let boxes = try? ResultReader(model, .boxes).boxes(ResultOptions())
    {
      let features = [
        Feature(name: "objects", source: .output), Feature(name: "score", source: .output),
      ]
      add(.objects(boxes.read), features)
      return
    }
    embedding = try? model.embeddingReading()
    if embedding != nil { return }
    for layer in model.runOutputs { add(output: layer, labels: model.labelCount(of: layer)) }
  }

  /// Whether the model computes embeddings.
  package var hasEmbeddings: Bool { embedding != nil }

  /// Adds features, unless there are too many.
  private mutating func add(_ reader: Reader, _ added: [Feature]) {
    guard features.count + added.count <= Self.maxCount else { return }
    readers.append(reader)
    features += added
  }

  private mutating func add(input layer: Layer, _ position: Int) {
    let name = layer.name
    switch layer.kind {
    case .image:
      let features = ["brightness", "contrast", "aspect ratio"].map {
        Feature(name: "\(name) \($0)", source: .input)
      }
      add(.image(input: name, position: position), features)
    case .array(let numeric), .scalar(let numeric):
      add(numbersOf: layer, numeric.featureNames, .input)
    case .string, .text:
      add(.length(name, .input), [Feature(name: "\(name) length", source: .input)])
    case .audio: break
    }
  }

  private mutating func add(output layer: Layer, labels count: Int) {
    let name = layer.name
    switch layer.kind {
    case _ where count > 0:
      let classes = count <= Self.maxClasses ? count : nil
      let features = [
        Feature(name: "\(name) score", source: .output),
        Feature(name: "\(name) class", source: .output, classCount: classes),
      ]
      add(.classes(name), features)
    case .array(let numeric), .scalar(let numeric):
      add(numbersOf: layer, numeric.featureNames, .output)
    case .string, .text:
      add(.length(name, .output), [Feature(name: "\(name) length", source: .output)])
    case .image, .audio: break
    }
  }

  private mutating func add(numbersOf layer: Layer, _ names: [String], _ source: Source) {
    let name = layer.name
    guard let count = layer.elementCount, count > 0, count <= Self.maxElements,
      features.count + count <= Self.maxCount
    else {
      let features = ["mean", "deviation"].map { Feature(name: "\(name) \($0)", source: source) }
      return add(.moments(name, source), features)
    }
    let features = (0..<count).map { index in
      let element = index < names.count ? names[index] : "\(index)"
      return Feature(name: count == 1 ? name : "\(name)[\(element)]", source: source)
    }
    add(.elements(name, source, count: count), features)
  }
}

// MARK: Reading

extension DriftFeatures {
  /// Returns an input with decoded images, which can be run and measured without being decoded twice.
  package func prepared(_ input: ModelInput, for model: Model) -> ModelInput {
    let hasImages = readers.contains { if case .image = $0 { true } else { false } }
    guard hasImages else { return input }
    return (try? model.decodingImages(of: input)) ?? input
  }

  /// Reads the features of an item.
  ///
  /// - Parameters:
  ///   - input: The input, whose images are decoded (``prepared(_:for:)``).
  ///   - output: The output of the model.
  ///   - hasVector: Whether the embedding is read.
  /// - Returns: The numbers, and the embedding.
  package func reading(
    _ input: ModelInput, _ output: ModelOutput, withVector hasVector: Bool = true
  ) -> Reading {
    let values = (try? input.values(for: inputs)) ?? []
    let named = Dictionary(zip(inputs, values)) { first, _ in first }
    var numbers: [Double] = []
    numbers.reserveCapacity(features.count)
    for reader in readers {
      let read = Self.numbers(reader, named, output)
      let missing = [Double](repeating: .nan, count: max(0, reader.count - read.count))
      numbers += read.prefix(reader.count) + missing
    }
    let vector = hasVector ? embedding.flatMap { try? $0(output) }?.normalized.values : nil
    return Reading(
      numbers: numbers,
      vector: vector.flatMap {
        $0.count <= Self.maxDimensions && $0.allSatisfy(\.isFinite) ? $0 : nil
      })
  }

  private static func numbers(
    _ reader: Reader, _ inputs: [String: LayerValue], _ output: ModelOutput
  ) -> [Double] {
    func value(_ name: String, _ source: Source) -> LayerValue? {
      source == .input ? inputs[name] : try? output[name]
    }
    switch reader {
    case .image(let name, let position):
      let geometries = output.imageGeometries
      let geometry = geometries.indices.contains(position) ? geometries[position] : nil
      return inputs[name]?.decodedImage.map { image in
        let measures = ImageMeasures(image)
        let aspect =
          geometry.map { Double($0.imageWidth) / Double(max(1, $0.imageHeight)) }
          ?? measures.aspectRatio
        return [measures.brightness, measures.contrast, aspect]
      } ?? []
    case .elements(let name, let source, _):
      return value(name, source)?.numbers?.doubles ?? []
    case .moments(let name, let source):
      guard let numbers = value(name, source)?.numbers?.doubles, let mean = numbers.mean else {
        return []
      }
      let variance = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(numbers.count)
      return [mean, variance.squareRoot()]
    case .length(let name, let source):
      return value(name, source)?.textLength.map { [Double($0)] } ?? []
    case .classes(let name):
      guard let best = value(name, .output)?.classification?.top(1).first else { return [] }
      return [Double(best.score), Double(best.index)]
    case .objects(let read):
      guard let objects = try? read(output) else { return [] }
      let best = objects.lazy.map(\.score).max()
      return [Double(objects.count), best.map(Double.init) ?? .nan]
    }
  }
}

extension Model {
  /// Returns the number of labels of an output; 0 if it has none.
  fileprivate func labelCount(of layer: Layer) -> Int {
    layer.labelsFile == nil ? 0 : (try? bundle.labels(for: layer).count) ?? 0
  }
}

extension LayerValue {
  /// The image; one that is still encoded is decoded at a low resolution.
  fileprivate var decodedImage: ImageBuffer? {
    switch self {
    case .image(let image): image
    case .bytes(let bytes):
      try? ImageBuffer(decoding: bytes, DecodingOptions(minWidth: 64, minHeight: 64))
    case .numbers, .strings, .tokens, .audio, .classification, .list: nil
    }
  }

  /// The number of bytes of a text in UTF-8, or of tokens.
  fileprivate var textLength: Int? {
    switch self {
    case .strings(let strings): strings.bytes.reduce(0) { $0 + $1.count }
    case .bytes(let bytes): bytes.count
    case .tokens(let text): text.count
    case .numbers, .image, .audio, .classification, .list: nil
    }
  }
}
