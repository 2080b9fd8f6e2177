package import TensorIOBundle
package import TensorIOCore

/// A function that reads a prompt once, and returns what the model reads in each step: the encoder of a translation model, or of
/// images that the model describes.
package struct PromptEncoder: Sendable {
  /// What the function returned.
  package struct Result {
    /// The values of the model's caches by the names of its inputs.
    package var values: [String: Tensor]
    /// The number of tokens of the prompt; `nil` if it is no text.
    package var tokenCount: Int?
  }

  /// The function.
  package let function: Model
  private let caches: [CacheLink]

  /// Creates the encoder that the caches of a description name; `nil` if they name none.
  ///
  /// - Throws: A ``ModelError`` if they name several functions.
  package init?(
    _ description: ModelDescription, _ functions: [String: Model]
  ) throws(ModelError) {
    guard let name = description.callerFunction, let function = functions[name] else { return nil }
    self.function = function
    caches = description.caches.filter { $0.function != nil }
    if let other = caches.first(where: { $0.function != name })?.function {
      throw ModelError(.bundle, .unsupported("caches of both '\(name)' and '\(other)'"))
    }
  }

  /// Runs the function.
  ///
  /// - Throws: A ``ModelError`` if the input does not fit the function, or the function fails.
  package func encode(_ input: ModelInput) throws(ModelError) -> Result {
    let output = try function.run(input)
    let text = output.texts.first
    // A translation of the beginning alone would look complete.
    guard text?.isTruncated != true, output.followingLayers.isEmpty else {
      throw ModelError(
        .input,
        .failed("the text is longer than the \(text?.count ?? 0) tokens that the model takes"))
    }
    var values: [String: Tensor] = [:]
    for layer in output.layers {
      guard let name = cacheName(of: layer.name) else { continue }
      values[name] = try output.tensor(layer.name)
    }
    // Of the inputs, only what was made of a text is known here.
    for layer in function.inputs {
      guard let name = cacheName(of: layer.name), case .text(let layerText) = layer.kind,
        let numbers = text?.numbers(of: layerText.part)
      else { continue }
      values[name] = numbers.tensor
    }
    return Result(values: values, tokenCount: text?.count)
  }

  /// Returns the name of the model's input that takes a value of the function; `nil` if none does.
  private func cacheName(of name: String) -> String? {
    caches.lazy.compactMap { CacheLink(output: $0.input, input: $0.output).output(for: name) }.first
  }
}
