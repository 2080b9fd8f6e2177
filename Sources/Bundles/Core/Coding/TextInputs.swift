import TensorIOBundle

/// Tokenizes the texts of a model's inputs.
///
/// A text can fill several inputs: the numbers of its tokens, and the mask that tells them from
/// padding.
struct TextInputs: Sendable {
  /// Where the value of an input comes from.
  private enum Source: Sendable {
    /// A value of the caller.
    case caller
    /// A text of the caller, with the length of the tensor; `nil` if each text determines it.
    case text(TextTokenizer, length: Int?)
    /// The text of the input at an index.
    case input(Int)
  }

  /// The names of the inputs that a caller provides.
  let callerNames: [String]
  private let sources: [Source]
  private let names: [String]

  /// Creates the texts of a model's inputs; `nil` if no input takes text.
  init?(
    _ layers: [Layer], _ encoders: [LayerEncoder], _ tokenizers: [String: TextTokenizer]
  ) {
    guard layers.contains(where: \.isText) else { return nil }
    names = layers.map(\.name)
    callerNames = layers.filter { !$0.sharesText }.map(\.name)
    sources = zip(layers, encoders).map { layer, encoder in
      guard case .text(let text) = layer.kind else { return .caller }
      if let source = text.source {
        return layers.firstIndex { $0.name == source }.map(Source.input) ?? .caller
      }
      guard let tokenizer = tokenizers[layer.name] else { return .caller }
      // In a tensor with a fixed batch, a text fills a row.
      let length = encoder.variableShape == nil ? encoder.shape.last : nil
      return .text(tokenizer, length: length)
    }
  }

  /// Returns ids of the vocabulary as the tokens of the first input with a tokenizer.
  func tokens(ofIDs ids: [Int32]) throws(ModelError) -> TokenizedText? {
    for case .text(let tokenizer, let length) in sources {
      return try tokenizer.tokens(ofIDs: ids, length: length)
    }
    return nil
  }

  /// Returns the values of all inputs, with texts tokenized.
  func tokenizing(_ given: [LayerValue]) throws(ModelError) -> [LayerValue] {
    var given = given[...]
    var values = names.map { _ in LayerValue.list([]) }
    for (index, source) in sources.enumerated() {
      switch source {
      case .caller: values[index] = given.popFirst() ?? .list([])
      case .text(let tokenizer, let length):
        guard let value = given.popFirst() else { continue }
        do throws(ModelError) {
          values[index] = try tokenizer.tokenizing(value, length: length)
        } catch {
          throw error.at(layer: names[index])
        }
      case .input: break
      }
    }
    for case (let index, .input(let other)) in sources.enumerated() {
      values[index] = values[other]
    }
    return values
  }
}
