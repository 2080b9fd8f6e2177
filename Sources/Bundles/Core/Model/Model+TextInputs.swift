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

  /// Returns ids of the vocabulary as the tokens of the only input; `nil` if the model has no tokenizer.
  ///
  /// Nothing is added but padding to a fixed length.
  ///
  /// - Throws: A ``ModelError`` if an id is not in the vocabulary, or there are more than the model takes.
  package func tokens(ofIDs ids: [Int32]) throws(ModelError) -> TokenizedText? {
    try pipeline?.encoder.texts?.tokens(ofIDs: ids)
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
