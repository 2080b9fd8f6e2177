internal import Dispatch
internal import Synchronization
internal import TensorIOCore

/// A picture that is decoded by whoever comes first: a thread that has nothing else to do while a
/// model is being opened, or the run that needs it.
final class DecodedAhead: Sendable {
  private struct State {
    /// What was decoded and is not taken yet.
    var input: Result<ModelInput, ModelError>?
    var time = Duration.zero
  }

  private let item: Item
  private let layer: ImageLayer
  private let options: Model.Options
  private let state = Mutex(State())

  init(_ item: Item, for layer: ImageLayer, _ options: Model.Options) {
    (self.item, self.layer, self.options) = (item, layer, options)
  }

  /// Hands over the picture, which is kept no longer; what cannot be decoded is left to the model to
  /// refuse.
  func input() throws(ModelError) -> ModelInput {
    let input = state.withLock { state in
      let input = decode(&state)
      state.input = nil
      return input
    }
    return try input.get()
  }

  /// How long decoding took; nothing before that.
  var time: Duration { state.withLock { $0.time } }

  private func decode(_ state: inout State) -> Result<ModelInput, ModelError> {
    if let input = state.input { return input }
    let read = Result { () throws(ModelError) in try item.read() }
    let start = ContinuousClock.now
    let input = read.map { $0.decoded(for: layer, options) ?? $0 }
    state.time = ContinuousClock.now - start
    state.input = input
    return input
  }

  /// Whoever came first may have taken it: then it is not decoded again for nobody.
  private func decodeForLater() {
    state.withLock { state in
      if state.time == .zero { _ = decode(&state) }
    }
  }

  fileprivate static func start(_ pictures: [DecodedAhead]) {
    DispatchQueue(label: "tensorio.ahead").async {
      for picture in pictures { picture.decodeForLater() }
    }
  }
}

extension ItemList {
  /// How many pictures are held at most before any is run.
  private static let mostAhead = 2

  /// The same items, of which the first pictures are being decoded from now on.
  func decodedAhead(for layer: ImageLayer, _ options: Model.Options) -> ItemList {
    guard ThreadCount.standard > 1 else { return self }
    let pictures = items.prefix(Self.mostAhead).map { DecodedAhead($0, for: layer, options) }
    DecodedAhead.start(pictures)
    let ahead = zip(items, pictures).map { item, picture in
      Item(item.name, decodingTime: { picture.time }, read: picture.input)
    }
    return ItemList(items: ahead + items.dropFirst(ahead.count), isSet: isSet)
  }
}

extension ModelDescription {
  /// The picture that goes in, where nothing else does.
  var onlyPicture: ImageLayer? {
    guard askedInputs.count == 1, case .image(let layer) = askedInputs[0].kind else { return nil }
    return layer
  }
}
