import Dispatch
import Synchronization
import TensorIOBundle
import TensorIOCore

/// An input of a run: a name, and a closure that reads it on demand.
struct InputItem: Sendable {
  /// The path of the input, or the text of the argument.
  let name: String
  /// Reads the input.
  let read: @Sendable () throws(ModelError) -> ModelInput

  /// Returns the time spent decoding the input ahead of the run, if it was.
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
  /// The path from which the names of output files are derived; empty for inline data.
  var outputNameBase: String {
    guard !name.hasPrefix(InputValueParser.base64Prefix) else { return "" }
    return name.hasPrefix(InputValueParser.filePrefix) ? String(name.dropFirst()) : name
  }
}

/// The items of a command line.
struct InputItemList: Sendable {
  let items: [InputItem]
  /// Whether an argument is a folder or pattern, which counts as many items even if it matches one.
  var isCollection = false
}

/// An image input that is decoded once: by a background thread while the model is loaded, or by the
/// run that needs it first.
final class PredecodedImage: Sendable {
  private struct State {
    /// The decoded input, until it is taken.
    var input: Result<ModelInput, ModelError>?
    var time = Duration.zero
  }

  private let item: InputItem
  private let layer: ImageLayer
  private let options: OpeningOptions
  private let state = Mutex(State())

  init(_ item: InputItem, for layer: ImageLayer, _ options: OpeningOptions) {
    (self.item, self.layer, self.options) = (item, layer, options)
  }

  /// Returns the decoded image and releases it.
  ///
  /// An image that cannot be decoded is returned unchanged, so that the model reports the error.
  func takeInput() throws(ModelError) -> ModelInput {
    let input = state.withLock { state in
      let input = decode(&state)
      state.input = nil
      return input
    }
    return try input.get()
  }

  /// The time spent decoding; zero before that.
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

  /// Decodes the image unless it was decoded, and perhaps taken, before.
  private func predecode() {
    state.withLock { state in
      if state.time == .zero { _ = decode(&state) }
    }
  }

  fileprivate static func start(_ images: [PredecodedImage]) {
    DispatchQueue(label: "tensorio.predecoding").async {
      for image in images { image.predecode() }
    }
  }
}

extension InputItemList {
  /// The maximum number of images that are decoded before the first run.
  private static let maxPredecoded = 2

  /// Returns the same items, with the first images being decoded on a background thread.
  func predecodingFirst(for layer: ImageLayer, _ options: OpeningOptions) -> InputItemList {
    guard ThreadCount.defaultCount > 1 else { return self }
    let images = items.prefix(Self.maxPredecoded).map { PredecodedImage($0, for: layer, options) }
    PredecodedImage.start(images)
    let predecoded = zip(items, images).map { item, image in
      InputItem(item.name, decodingTime: { image.decodingTime }, read: image.takeInput)
    }
    return InputItemList(
      items: predecoded + items.dropFirst(predecoded.count), isCollection: isCollection)
  }
}

extension ModelDescription {
  /// The image input of a model that has no other inputs.
  var soleImageInput: ImageLayer? {
    guard callerInputs.count == 1, case .image(let layer) = callerInputs[0].kind else { return nil }
    return layer
  }
}
