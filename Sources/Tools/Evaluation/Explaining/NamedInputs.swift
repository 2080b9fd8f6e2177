import TensorIOBundle
import TensorIOCore
import TensorIOImage

/// The values of an item by input, of which some are replaced.
struct NamedInputs: Sendable {
  /// A number of an input.
  struct Number: Sendable {
    /// The name of the input, and of the element if there are several.
    let name: String
    let value: Double
  }

  private let layers: [Layer]
  private var values: [String: LayerValue]

  /// Reads the values of an input of a model; encoded images are decoded, with all their pixels.
  init(_ input: ModelInput, of model: Model) throws(ModelError) {
    layers = model.callerInputs
    let names = layers.map(\.name)
    values = Dictionary(zip(names, try input.values(for: names))) { first, _ in first }
    for layer in layers where layer.isImage {
      guard case .bytes(let bytes)? = values[layer.name] else { continue }
      do throws(ImageError) {
        values[layer.name] = .image(try ImageBuffer(decoding: bytes, DecodingOptions()))
      } catch {
        throw ModelError(.input, .image(error), layer: layer.name)
      }
    }
  }

  /// The input.
  var input: ModelInput { .named(values) }

  /// The first image.
  var image: (layer: Layer, image: ImageBuffer)? {
    for layer in layers where layer.isImage {
      if case .image(let image)? = values[layer.name] { return (layer, image) }
    }
    return nil
  }

  /// The texts, with the names of their inputs.
  var texts: [(name: String, text: String)] {
    layers.compactMap { layer in
      switch (layer.kind, values[layer.name]) {
      case (_, .strings(let strings)?) where strings.count == 1: (layer.name, strings[0])
      case (.string, .bytes(let bytes)?): (layer.name, String(decoding: bytes, as: UTF8.self))
      default: nil
      }
    }
  }

  /// The numbers of all numeric inputs, in order.
  var numbers: [Number] {
    layers.flatMap { layer -> [Number] in
      guard case .numbers(let numbers)? = values[layer.name] else { return [] }
      let names = layer.featureNames
      return numbers.doubles.enumerated().map { index, value in
        let element = index < names.count ? names[index] : "\(index)"
        return Number(
          name: numbers.count == 1 ? layer.name : "\(layer.name)[\(element)]", value: value)
      }
    }
  }

  /// Returns the input with another value.
  func replacing(_ name: String, by value: LayerValue) -> ModelInput {
    var values = values
    values[name] = value
    return .named(values)
  }

  /// Returns the values with another text.
  func with(_ name: String, text: String) -> NamedInputs {
    var copy = self
    if case .bytes? = values[name] {
      copy.values[name] = .bytes(Array(text.utf8))
    } else {
      copy.values[name] = .strings([text])
    }
    return copy
  }

  /// Returns the input with other numbers, in the order of ``numbers``.
  func with(numbers replaced: [Double]) -> ModelInput {
    var values = values
    var rest = replaced[...]
    for layer in layers {
      guard case .numbers(let numbers)? = values[layer.name] else { continue }
      let part = Array(rest.prefix(numbers.count))
      rest = rest.dropFirst(numbers.count)
      values[layer.name] = .numbers(numbers.replacingElements(by: part))
    }
    return .named(values)
  }
}

extension Layer {
  /// The names of the elements of numbers.
  fileprivate var featureNames: [String] {
    switch kind {
    case .array(let layer), .scalar(let layer): layer.featureNames
    case .image, .string, .text, .audio: []
    }
  }
}

extension Numbers {
  /// Returns numbers of the same type and shape.
  fileprivate func replacingElements(by values: [Double]) -> Numbers {
    switch elements {
    case .floats: Numbers(.floats(values.map(Float.init)), shape: shape)
    case .doubles: Numbers(.doubles(values), shape: shape)
    case .booleans: Numbers(.booleans(values.map { $0 != 0 }), shape: shape)
    case .integers:
      // The numbers of a background can be fractions, which a tensor of integers rejects with a message.
      values.allSatisfy { Int64(exactly: $0) != nil }
        ? Numbers(.integers(values.map { Int64($0) }), shape: shape)
        : Numbers(.doubles(values), shape: shape)
    }
  }
}
