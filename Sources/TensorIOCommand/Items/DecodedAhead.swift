internal import Dispatch
internal import Synchronization
internal import TensorIOCore

/// A picture that is decoded by whoever comes first: a thread that has nothing else to do while a
/// model is being opened, or the run that needs it.
final class DecodedAhead: Sendable {
  private struct Decoded {
    let input: Result<ModelInput, ModelError>
    let time: Duration
  }

  private let item: Item
  private let layer: ImageLayer
  private let options: Model.Options
  private let decoded = Mutex<Decoded?>(nil)

  init(_ item: Item, for layer: ImageLayer, _ options: Model.Options) {
    (self.item, self.layer, self.options) = (item, layer, options)
  }

  /// The picture, decoded once; what cannot be decoded is left to the model to refuse.
  func input() throws(ModelError) -> ModelInput { try decode().input.get() }

  /// How long decoding took.
  var time: Duration { decode().time }

  @discardableResult
  private func decode() -> Decoded {
    decoded.withLock { decoded in
      if let decoded { return decoded }
      let input = Result { () throws(ModelError) in try item.read() }
      var made = input
      let time = ContinuousClock().measure {
        made = input.map { $0.decoded(for: layer, options) ?? $0 }
      }
      decoded = Decoded(input: made, time: time)
      return Decoded(input: made, time: time)
    }
  }

  fileprivate static func start(_ pictures: [DecodedAhead]) {
    DispatchQueue(label: "tensorio.ahead").async {
      for picture in pictures { picture.decode() }
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
