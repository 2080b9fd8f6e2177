import TensorIOBundle
import TensorIOCore
import TensorIOImage

/// The image dimensions of a tensor that may hold an image.
struct ImageTensorShape: Sendable, Equatable {
  /// The shape to declare: the tensor's, with fixed sides.
  let shape: TensorShape
  let height: Int
  let width: Int
  let format: PixelFormat
  let layout: ImageLayout
  /// Whether the model accepts images of any height and width.
  let isOpen: Bool
  /// Where the size comes from: the tensor, or for a model that accepts images of any size its metadata, or
  /// else a default.
  let sizeSource: DraftedValue.Source

  /// The side for models that accept any size: that of most classifiers.
  private static let defaultSide = 224
  /// The minimum side; smaller tensors are treated as tables.
  private static let minSide = 8

  private static let elementTypes: Set<ElementType> = [.uint8, .int8, .float32, .float16]

  /// Creates the shape of a tensor with three dimensions, or four with a batch, one of which counts
  /// one or three channels; returns `nil` for other tensors.
  ///
  /// Three dimensions of which the first is a batch are those of a series, unless the metadata
  /// declares an image. Sides that the tensor does not fix are the `stated` ones, which the folder of the model or its
  /// metadata has.
  init?(
    _ tensor: TensorInfo, _ content: ModelMetadata.Content?, stated: ModelMetadata.ImageSize? = nil,
    isFromFolder: Bool = false
  ) {
    let dimensions = tensor.shape.dimensions
    var axes = Array(dimensions.suffix(3))
    // The models of hubs have channels first, even if their number is not fixed.
    if isFromFolder, dimensions.count == 4, axes.allSatisfy({ $0 == nil }) { axes[0] = 3 }
    guard (3...4).contains(dimensions.count),
      Self.elementTypes.contains(tensor.elementType),
      content != .features, content != .audio,
      dimensions.count == 4 || content?.isImage == true
        || (dimensions[0] ?? 1) != 1 && !axes.contains(nil),
      let (layout, channels) = Self.layoutAndChannels(axes)
    else { return nil }
    let sides = layout == .channelsLast ? axes.prefix(2) : axes.suffix(2)
    let defaults = [stated?.height, stated?.width].map { $0 ?? Self.defaultSide }
    let fixed = zip(sides, defaults).map { $0 ?? $1 }
    guard fixed.allSatisfy({ $0 >= Self.minSide }) else { return nil }
    (height, width) = (fixed[0], fixed[1])
    self.layout = layout
    isOpen = sides.allSatisfy { $0 == nil }
    format = channels == 1 ? .gray : .rgb
    sizeSource =
      !sides.contains(nil)
      ? .tensors : stated == nil ? .heuristic : isFromFolder ? .folder : .metadata
    let imageAxes = layout == .channelsLast ? fixed + [channels] : [channels] + fixed
    shape = TensorShape(tensor.shape.dimensions.dropLast(3) + imageAxes)
  }

  /// Whether a tensor has a batch and two equal sides, as series and gray images without a dimension
  /// for the channel may have.
  static func isSquareTable(_ tensor: TensorInfo) -> Bool {
    let dimensions = tensor.shape.dimensions
    guard dimensions.count == 3, (dimensions[0] ?? 1) == 1, let side = dimensions[1] else {
      return false
    }
    return side == dimensions[2] && side >= minSide && elementTypes.contains(tensor.elementType)
  }

  private static func layoutAndChannels(_ axes: [Int?]) -> (ImageLayout, Int)? {
    for (layout, axis) in [(ImageLayout.channelsLast, 2), (.channelsFirst, 0)] {
      if let channels = axes[axis], channels == 1 || channels == 3 { return (layout, channels) }
    }
    return nil
  }
}

/// The tensors that carry a model's state from one run to the next: pairs of an input and an output
/// that differ only in their names.
struct StatePairs: Sendable, Equatable {
  /// An output and the input that it is fed back into.
  struct Pair: Sendable, Equatable {
    let input: Int
    let output: Int
  }

  private(set) var pairs: [Pair] = []

  var inputs: Set<Int> { Set(pairs.map(\.input)) }
  var outputs: Set<Int> { Set(pairs.map(\.output)) }

  /// Finds the state pairs of a model; a model without other inputs and outputs has none.
  init(_ signature: ModelSignature) {
    for (index, input) in signature.inputs.enumerated() where Self.isStateCandidate(input) {
      let matches = signature.outputs.indices.filter {
        !outputs.contains($0) && Self.isMatch(signature.outputs[$0], input)
      }
      let match =
        matches.first { Self.namesMatch(signature.outputs[$0], input) } ?? matches.first
      if let match { pairs.append(Pair(input: index, output: match)) }
    }
    let leavesOthers =
      pairs.count < signature.inputs.count && pairs.count < signature.outputs.count
    if !leavesOthers { pairs = [] }
  }

  private static func isStateCandidate(_ tensor: TensorInfo) -> Bool {
    let lengths = tensor.shape.dimensions.compactMap(\.self)
    // One free dimension, wherever it is, is the number of items.
    let isFixed = lengths.count + 1 >= tensor.shape.dimensions.count
    return isFixed && lengths.contains { $0 > 1 } && ImageTensorShape(tensor, nil) == nil
  }

  private static func isMatch(_ left: TensorInfo, _ right: TensorInfo) -> Bool {
    let isDistinctive =
      left.shape.dimensions.count >= minDistinctiveRank
      && !left.shape.dimensions.dropFirst().contains(nil)
    return isDistinctive || [left, right].allSatisfy(hasStateName)
      ? haveSameTensorType(left, right) : false
  }

  /// Whether one short name contains the other, such as `lstm_c` and `init_lstm_c`.
  private static func namesMatch(_ output: TensorInfo, _ input: TensorInfo) -> Bool {
    let names = [output, input].map { UniqueLayerNames.shortName(of: $0.name, default: "?") }
    let isPair = names.allSatisfy { shortStateNames.contains($0.lowercased()) }
    return names[0].contains(names[1]) || names[1].contains(names[0])
      || isPair && names[0].first == names[1].first
  }

  // Vectors of equal length are common; tensors of equal higher rank indicate a state.
  private static let minDistinctiveRank = 3
  private static let stateNameFragments = [
    "state", "lstm", "gru", "rnn", "hidden", "cell", "memory",
  ]

  /// The names that examples of PyTorch give the two states of an LSTM.
  private static let shortStateNames: Set = [
    "h", "c", "h0", "c0", "hn", "cn", "h_0", "c_0", "h_n", "c_n", "hx", "cx", "h_in", "c_in",
    "h_out",
    "c_out",
  ]

  private static func hasStateName(_ tensor: TensorInfo) -> Bool {
    let name = tensor.name.lowercased()
    return shortStateNames.contains(name) || stateNameFragments.contains { name.contains($0) }
  }

  private static func haveSameTensorType(_ left: TensorInfo, _ right: TensorInfo) -> Bool {
    left.elementType == right.elementType && left.shape == right.shape
      && left.quantization == right.quantization
  }
}
