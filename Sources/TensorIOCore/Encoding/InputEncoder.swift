internal import TensorIOImage

/// Takes an application's values to a model's tensors: matches them to the inputs by name or by
/// order, decodes pictures, and writes them into the memory that a session lends.
struct InputEncoder: Sendable {
  let layers: [LayerEncoder]
  /// The shapes that the tensors take for one item.
  let shapes: [[Int]]
  /// Where the model's state begins, by the inputs that take it.
  private let starts: [String: LayerValue]

  /// An encoder for layers that fit their tensors, in the order of both.
  init(
    _ layers: [Layer], tensors: [TensorInfo], state: [StateLink] = [],
    decoding: DecodingOptions = DecodingOptions()
  ) {
    starts = StateStart.values(of: state, layers, tensors)
    self.layers = zip(layers, tensors).map {
      LayerEncoder($0, tensor: $1, decoding: decoding)
    }
    shapes = self.layers.map(\.shape)
  }

  /// The values of all inputs in order.
  func values(in input: ModelInput) throws(ModelError) -> [LayerValue] {
    let names = layers.lazy.map(\.name)
    return try starts.isEmpty
      ? input.values(for: names) : input.values(for: Array(names), startingAt: starts)
  }

  /// The values of all inputs in order, with pictures decoded.
  func match(_ input: ModelInput) throws(ModelError) -> [LayerValue] {
    var values: [LayerValue] = []
    for (layer, value) in zip(layers, try self.values(in: input)) {
      values.append(try layer.decoded(value))
    }
    return values
  }

  /// Writes the values of all inputs.
  ///
  /// - Returns: how each picture was fitted, by layer.
  func encode(
    _ values: [LayerValue], into session: any Session
  ) throws(ModelError) -> [ImageGeometry?] {
    var geometries: [ImageGeometry?] = []
    for (index, value) in values.enumerated() {
      geometries.append(try layers[index].encode(value, into: session, at: index))
    }
    return geometries
  }
}

extension LayerEncoder {
  /// Bytes on their way into an image layer are an encoded picture.
  func decoded(_ value: LayerValue) throws(ModelError) -> LayerValue {
    guard case .image(let encoder) = kind else { return value }
    switch value {
    case .bytes(let bytes):
      do throws(ImageError) {
        return .image(try encoder.decode(bytes))
      } catch {
        throw ModelError(.input, .picture(error), layer: name)
      }
    case .list(let values):
      return .list(try values.map { (value) throws(ModelError) in try decoded(value) })
    case .numbers, .strings, .image, .classification:
      return value
    }
  }
}
