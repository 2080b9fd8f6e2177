import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOLiteRT

/// The sides of a picture, where a tensor may hold one.
struct ImageTensorShape: Sendable, Equatable {
  /// The shape to declare: the tensor's, with sides that vary fixed.
  let shape: TensorShape
  let height: Int
  let width: Int
  let format: PixelFormat
  let layout: ImageLayout
  /// Whether the model takes pictures of any size, so that one had to be chosen.
  let usesDefaultSize: Bool

  /// The side that is chosen for a model that takes any: that of most classifiers.
  private static let defaultSide = 224
  /// Smaller than this, a tensor is a table.
  private static let minSide = 8

  private static let elementTypes: Set<ElementType> = [.uint8, .int8, .float32, .float16]

  /// The picture in a tensor of three axes, or of four with a batch, one of which counts one or
  /// three channels.
  init?(_ tensor: TensorInfo, _ content: TFLiteMetadata.Content?) {
    let axes = Array(tensor.shape.dimensions.suffix(3))
    guard (3...4).contains(tensor.shape.dimensions.count), Self.elementTypes.contains(tensor.elementType),
      content != .features, content != .audio,
      let (layout, channels) = Self.layoutAndChannels(axes)
    else { return nil }
    let sides = layout == .channelsLast ? axes.prefix(2) : axes.suffix(2)
    let fixed = sides.map { $0 ?? Self.defaultSide }
    guard fixed.allSatisfy({ $0 >= Self.minSide }) else { return nil }
    (height, width) = (fixed[0], fixed[1])
    self.layout = layout
    format = channels == 1 ? .gray : .rgb
    usesDefaultSize = sides.contains(nil)
    let picture = layout == .channelsLast ? fixed + [channels] : [channels] + fixed
    shape = TensorShape(tensor.shape.dimensions.dropLast(3) + picture)
  }

  private static func layoutAndChannels(_ axes: [Int?]) -> (ImageLayout, Int)? {
    for (layout, axis) in [(ImageLayout.channelsLast, 2), (.channelsFirst, 0)] {
      if let channels = axes[axis], channels == 1 || channels == 3 { return (layout, channels) }
    }
    return nil
  }
}

/// The tensors that carry a model's memory from one run to the next: an input and an output that
/// are alike in all but their names.
struct StatePairs: Sendable, Equatable {
  /// An output and the input that it goes into.
  struct Pair: Sendable, Equatable {
    let input: Int
    let output: Int
  }

  private(set) var pairs: [Pair] = []

  var inputs: Set<Int> { Set(pairs.map(\.input)) }
  var outputs: Set<Int> { Set(pairs.map(\.output)) }

  /// Finds the pairs of a model that has other inputs and outputs as well.
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
    (tensor.shape.elementCount ?? 0) > 1 && ImageTensorShape(tensor, nil) == nil
  }

  private static func isMatch(_ left: TensorInfo, _ right: TensorInfo) -> Bool {
    left.shape.dimensions.count >= minDistinctiveRank || [left, right].allSatisfy(hasStateName)
      ? haveSameTensorType(left, right) : false
  }

  /// Whether the short name of one stands in that of the other, as `lstm_c` in `init_lstm_c`.
  private static func namesMatch(_ output: TensorInfo, _ input: TensorInfo) -> Bool {
    let names = [output, input].map { UniqueLayerNames.shortName(of: $0.name, default: "?") }
    return names[0].contains(names[1]) || names[1].contains(names[0])
  }

  /// Two vectors of one length are nothing special; two blocks of one shape are.
  private static let minDistinctiveRank = 3
  private static let stateNameFragments = ["state", "lstm", "gru", "rnn", "hidden", "cell", "memory"]

  private static func hasStateName(_ tensor: TensorInfo) -> Bool {
    let name = tensor.name.lowercased()
    return stateNameFragments.contains { name.contains($0) }
  }

  private static func haveSameTensorType(_ left: TensorInfo, _ right: TensorInfo) -> Bool {
    left.elementType == right.elementType && left.shape == right.shape
      && left.quantization == right.quantization
  }
}
