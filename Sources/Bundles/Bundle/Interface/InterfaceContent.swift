/// The elements of a bundle that typed code refers to.
package struct InterfaceContent: Sendable, Hashable {
  /// An input, output or placeholder.
  package struct Element: Sendable, Hashable {
    /// The name of the layer.
    package let name: String
    /// The type of its values in typed code.
    package let type: InterfaceType
    /// The declared shape.
    package let shape: TensorShape
    /// A sentence about the values; `nil` if there is none.
    package let details: String?

    init(_ layer: Layer, _ type: InterfaceType) {
      (name, self.type) = (layer.name, type)
      (shape, details) = (layer.shape, layer.details)
    }
  }

  /// The labels of an output, without duplicates.
  package struct Labels: Sendable, Hashable {
    /// The name of the output.
    package let name: String
    /// The labels, in order.
    package let texts: [String]
  }

  /// The inputs that a caller provides, in order.
  package let inputs: [Element]
  /// The outputs that are not the model's state and are not replaced by the result of the task.
  package let outputs: [Element]
  /// The optional inputs.
  package let placeholders: [Element]
  /// The result of the task; `nil` if the outputs themselves are the result.
  package let result: InterfaceResult?
  /// The name of the output with the labels of the result; `nil` if it has none.
  package let resultOutput: String?
  /// The labels of outputs that typed code lists: those of the result, and those of outputs with a score
  /// for each label.
  package let labels: [Labels]
  /// Whether the model has state that it keeps between runs.
  package let hasState: Bool
  /// Whether the result has a timeline, because the model takes sound.
  package let hasTimeline: Bool

  /// The maximum number of labels that typed code lists.
  package static let maxLabels = 256
  /// The maximum number of named features that become separate values.
  package static let maxFeatures = 64

  /// Creates the content of a bundle's interface.
  ///
  /// - Throws: A ``ModelError`` if a labels file cannot be read.
  package init(_ bundle: ModelBundle, mode: ModelMode? = nil) throws(ModelError) {
    let description = bundle.description.resolved(
      for: mode ?? bundle.description.defaultMode)
    let result = InterfaceResult(description)
    let takesSound = description.inputs.contains(where: \.isAudio)
    self.result = result
    hasState = !description.state.isEmpty
    hasTimeline = takesSound && result == .classes
    inputs = description.callerInputs.map {
      Element($0, InterfaceType(input: $0, in: description))
    }
    placeholders = description.placeholders.map {
      Element($0, InterfaceType(input: $0, in: description))
    }
    let stateOutputs = Set(description.state.map(\.output))
    let visible = description.outputs.filter { layer in
      !stateOutputs.contains(layer.name) && !(result?.replaces(layer) ?? false)
    }
    outputs = visible.map {
      Element($0, InterfaceType(output: $0, isMean: takesSound))
    }
    let resultLayer = result?.labeledLayer(in: description.outputs)
    resultOutput = resultLayer?.name
    let labeled = description.outputs.filter { layer in
      layer.name == resultLayer?.name
        || layer.hasScores && visible.contains { $0.name == layer.name }
    }
    var labels: [Labels] = []
    for layer in labeled {
      let result = layer.name == resultLayer?.name ? result : nil
      if let list = try Self.labels(of: layer, in: bundle, result: result) { labels.append(list) }
    }
    self.labels = labels
  }

  /// Returns the labels of a layer, or `nil` if typed code does not list them.
  private static func labels(
    of layer: Layer, in bundle: ModelBundle, result: InterfaceResult?
  ) throws(ModelError) -> Labels? {
    let texts = try bundle.labels(for: layer)
    var unique: [String] = []
    var known: Set<String> = []
    for text in texts where known.insert(text).inserted { unique.append(text) }
    guard !unique.isEmpty, unique.count <= maxLabels else { return nil }
    // Values without a label are named by their index, which no list contains.
    let count = layer.elementCount ?? 0
    if layer.hasScores, count > texts.count { return nil }
    switch result {
    case .detections:
      // An empty label is replaced by its index, and a label of the task by those of the output.
      if texts.contains("") || bundle.description.task?.settings["label"] != nil { return nil }
    case .segmentation:
      // A mask of two classes has the implicit label `background`.
      if texts.contains("") || texts.count < 2 { return nil }
    case .entities: return nil
    default: break
    }
    return Labels(name: layer.name, texts: unique)
  }
}

/// The result of a bundle's task in typed code.
package enum InterfaceResult: String, Sendable, Hashable, CaseIterable {
  case classes, detections, embedding, image, segmentation, poses, map, answers, entities

  /// The names of the task in `model.json`.
  package var taskNames: [String] {
    switch self {
    case .classes: ["classification"]
    case .detections: ["detection"]
    case .embedding: ["embedding"]
    case .image: ["style", "image"]
    case .segmentation: ["segmentation"]
    case .poses: ["pose"]
    case .map: ["map", "depth"]
    case .answers: ["question-answering"]
    case .entities: ["token-classification"]
    }
  }

  /// Creates the result of a description's task.
  ///
  /// A model without a task that has an output with labels is a classifier.
  init?(_ description: ModelDescription) {
    if let type = description.task?.type {
      guard let result = Self.allCases.first(where: { $0.taskNames.contains(type) }) else {
        return nil
      }
      self = result
    } else if Self.classes.labeledLayer(in: description.outputs)?.hasScores ?? false {
      self = .classes
    } else {
      return nil
    }
  }

  /// Whether the result replaces an output.
  func replaces(_ layer: Layer) -> Bool {
    switch self {
    case .classes: false
    case .embedding: layer.role == .embedding
    case .image: false
    case .detections, .segmentation, .poses, .map, .answers, .entities: layer.role != nil
    }
  }

  /// Returns the output with the labels of the result.
  func labeledLayer(in outputs: [Layer]) -> Layer? {
    switch self {
    case .classes:
      outputs.first { $0.role == .scores } ?? outputs.first { $0.labelsFile != nil }
    case .detections:
      outputs.first { $0.role == .classes } ?? outputs.first { $0.role == .boxes }
    case .segmentation: outputs.first { $0.role == .mask }
    case .entities: outputs.first { $0.role == .tokenScores }
    case .image:
      outputs.first { $0.isImage && $0.role == .image } ?? outputs.first(where: \.isImage)
    case .embedding, .poses, .map, .answers: nil
    }
  }
}

extension Layer {
  /// Whether the layer's values are scores, one for each label.
  fileprivate var hasScores: Bool { labelsFile != nil && isLabeledByIndex }
}

/// The type of an input's or output's values in typed code.
package enum InterfaceType: Sendable, Hashable {
  /// The type of a number.
  package enum Number: String, Sendable, Hashable {
    case float, double, int, bool
  }

  case image, sound, text
  /// A question and the text that contains the answer.
  case question
  /// Bytes in the tensor's own layout.
  case bytes
  /// One number.
  case number(Number)
  /// Several numbers, of a shape.
  case numbers(Number, TensorShape)
  /// Numbers with names.
  case features([String])
  /// A score for each label.
  case scores

  /// Creates the type of an input or a placeholder.
  init(input layer: Layer, in description: ModelDescription) {
    let isQuestion = InterfaceResult.answers.taskNames.contains(description.task?.type ?? "")
    switch layer.kind {
    case .image: self = .image
    case .audio: self = .sound
    case .text: self = isQuestion ? .question : .text
    case .string: self = .bytes
    case .array(let numbers), .scalar(let numbers):
      let names = numbers.featureNames
      if !names.isEmpty, names.count == layer.elementCount,
        names.count <= InterfaceContent.maxFeatures
      {
        self = .features(names)
      } else {
        self.init(layer, numbers.quantize == nil ? numbers.elementType : nil)
      }
    }
  }

  /// Creates the type of an output.
  ///
  /// - Parameters:
  ///   - layer: The output.
  ///   - isMean: Whether the value is a mean of several runs.
  init(output layer: Layer, isMean: Bool) {
    switch layer.kind {
    case .image: self = .image
    case .audio(let audio): self.init(layer, audio.elementType)
    case .text(let text): self.init(layer, text.elementType)
    case .string: self = .bytes
    case .array(let numbers), .scalar(let numbers):
      let isConverted = numbers.dequantize != nil || isMean
      guard layer.hasScores else {
        self.init(layer, isConverted ? nil : numbers.elementType)
        return
      }
      self = .scores
    }
  }

  private init(_ layer: Layer, _ elementType: ElementType?) {
    let number: Number =
      switch elementType {
      case .float64: .double
      case .bool: .bool
      case let type?: type.isInteger ? .int : .float
      case nil: .float
      }
    self = layer.elementCount == 1 ? .number(number) : .numbers(number, layer.shape)
  }

  /// The type as text, in which types are compared.
  package var text: String {
    switch self {
    case .image: "image"
    case .sound: "sound"
    case .text: "text"
    case .question: "question"
    case .bytes: "bytes"
    case .number(let number): number.rawValue
    case .numbers(let number, let shape): "\(number.rawValue) \(shape)"
    case .features(let names): "features \(names)"
    case .scores: "scores"
    }
  }
}
