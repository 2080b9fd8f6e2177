package import TensorIOBundle

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
  init(input layer: Layer, of result: TaskInterface?) {
    let isQuestion = result?.takesQuestion ?? false
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
