package import TensorIOBundle

extension Model {
  /// The names of the inputs that take text: a tokenizer converts it, or their tensors hold strings.
  ///
  /// The description alone does not determine them: an `array` layer without `dtype` can be
  /// declared for a tensor of strings.
  package var textInputs: Set<String> {
    guard let pipeline = calledModel.pipeline else {
      return Set(callerInputs.filter(\.isText).map(\.name))
    }
    return Set(pipeline.encoder.layers.filter(\.holdsText).map(\.name))
  }

  /// Returns a text as the tokens of the only input; `nil` if the model has no tokenizer.
  package func tokens(of text: String) throws(ModelError) -> TokenizedText? {
    for case .tokens(let tokens) in try pipeline?.encoder.values(in: .value(.strings([text]))) ?? []
    {
      return tokens
    }
    return nil
  }
}

extension LayerEncoder {
  /// Whether the layer takes text.
  var holdsText: Bool {
    switch kind {
    case .strings, .tokens: true
    case .numbers, .image, .bytes, .audio: false
    }
  }
}
