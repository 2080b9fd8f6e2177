public import TensorIOCore
internal import TensorIOImage

extension ModelInput {
  /// What some layers take when there is nothing else to give them: gray pictures, zeros, and texts
  /// without a letter.
  ///
  /// It is as good as any input for measuring time, unless a model's work depends on what it sees.
  public static func blank(for layers: [Layer]) throws(ModelError) -> ModelInput {
    var values: [String: LayerValue] = [:]
    for layer in layers { values[layer.name] = try layer.blank() }
    return .named(values)
  }
}

extension Layer {
  /// The most elements that are made of nothing.
  private static let blankLimit = 1 << 28

  fileprivate func blank() throws(ModelError) -> LayerValue {
    guard let count = elementCount, count <= Self.blankLimit else {
      throw ModelError(.input, .unsupported("a layer of this size"), layer: name)
    }
    switch kind {
    case .image(let image): return try image.blank()
    case .string(let string) where string.elementType == .string:
      return .strings(Array(repeating: [], count: count))
    case .string(let string):
      return .bytes(Array(repeating: 0, count: count * (string.elementType.byteCount ?? 1)))
    case .array, .scalar:
      return .numbers(Numbers(.floats(Array(repeating: 0, count: count))))
    }
  }
}

extension ImageLayer {
  /// A gray picture, or several where the batch is fixed.
  fileprivate func blank() throws(ModelError) -> LayerValue {
    let picture: LayerValue
    do throws(ImageError) {
      picture = .image(
        try ImageBuffer.filled(width: width, height: height, red: 128, green: 128, blue: 128))
    } catch {
      throw ModelError(.input, .picture(error))
    }
    guard shape.axes.count == 4, let count = shape.axes[0], count > 1 else { return picture }
    return .list(Array(repeating: picture, count: count))
  }
}
