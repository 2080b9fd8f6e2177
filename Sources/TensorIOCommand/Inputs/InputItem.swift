import Dispatch
import Synchronization
import TensorIOBundle
import TensorIOCore

/// One thing that a model is to run on: its name, and a way to read it when its turn comes.
struct InputItem: Sendable {
  /// The path, or else the argument's text.
  let name: String
  /// Reads the values.
  let read: @Sendable () throws(ModelError) -> ModelInput

  /// How long it took to decode what is read, where that is done by then.
  let decodingTime: @Sendable () -> Duration

  init(
    _ name: String, decodingTime: @escaping @Sendable () -> Duration = { .zero },
    read: @escaping @Sendable () throws(ModelError) -> ModelInput
  ) {
    self.name = name
    self.decodingTime = decodingTime
    self.read = read
  }
}

extension InputItem {
  /// The path of its own file, or what stands for one in the names of other files.
  var outputNameBase: String {
    guard !name.hasPrefix(InputValueParser.base64Prefix) else { return "" }
    return name.hasPrefix(InputValueParser.filePrefix) ? String(name.dropFirst()) : name
  }
}

/// The items of a command line, and whether the user named a set of them.
struct InputItemList: Sendable {
  let items: [InputItem]
  /// A folder or a pattern stands for many items even when it holds one.
  var isCollection = false
}

/// A picture that is decoded by whoever comes first: a thread that has nothing else to do while a
/// model is being opened, or the run that needs it.
final class PredecodedImage: Sendable {
  private struct State {
    /// What was decoded and is not taken yet.
    var input: Result<ModelInput, ModelError>?
    var time = Duration.zero
  }

  private let item: InputItem
  private let layer: ImageLayer
  private let options: Model.Options
  private let state = Mutex(State())

  init(_ item: InputItem, for layer: ImageLayer, _ options: Model.Options) {
    (self.item, self.layer, self.options) = (item, layer, options)
  }

  /// Hands over the picture, which is kept no longer; what cannot be decoded is left to the model to
  /// refuse.
  func takeInput() throws(ModelError) -> ModelInput {
    let input = state.withLock { state in
      let input = decode(&state)
      state.input = nil
      return input
    }
    return try input.get()
  }

  /// How long decoding took; nothing before that.
  var decodingTime: Duration { state.withLock { $0.time } }

  private func decode(_ state: inout State) -> Result<ModelInput, ModelError> {
    if let input = state.input { return input }
    let read = Result { () throws(ModelError) in try item.read() }
    let start = ContinuousClock.now
    let input = read.map { $0.decodingImage(for: layer, options) ?? $0 }
    state.time = ContinuousClock.now - start
    state.input = input
    return input
  }

  /// Whoever came first may have taken it: then it is not decoded again for nobody.
  private func predecode() {
    state.withLock { state in
      if state.time == .zero { _ = decode(&state) }
    }
  }

  fileprivate static func start(_ pictures: [PredecodedImage]) {
    DispatchQueue(label: "tensorio.ahead").async {
      for picture in pictures { picture.predecode() }
    }
  }
}

extension InputItemList {
  /// How many pictures are held at most before any is run.
  private static let maxPredecoded = 2

  /// The same items, of which the first pictures are being decoded from now on.
  func predecodingFirst(for layer: ImageLayer, _ options: Model.Options) -> InputItemList {
    guard ThreadCount.defaultCount > 1 else { return self }
    let pictures = items.prefix(Self.maxPredecoded).map { PredecodedImage($0, for: layer, options) }
    PredecodedImage.start(pictures)
    let ahead = zip(items, pictures).map { item, picture in
      InputItem(item.name, decodingTime: { picture.decodingTime }, read: picture.takeInput)
    }
    return InputItemList(items: ahead + items.dropFirst(ahead.count), isCollection: isCollection)
  }
}

extension ModelDescription {
  /// The picture that goes in, where nothing else does.
  var soleImageInput: ImageLayer? {
    guard callerInputs.count == 1, case .image(let layer) = callerInputs[0].kind else { return nil }
    return layer
  }
}
