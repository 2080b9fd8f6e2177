import TensorIOAudio
import TensorIOCore
import TensorIOImage

extension ModelOutput {
  /// The memory that the values and their result take at most.
  var maxResultByteCount: Int {
    layers.reduce(0) { $0 + $1.value.maxResultByteCount }
  }
}

extension LayerValue {
  fileprivate var maxResultByteCount: Int {
    switch self {
    case .numbers(let numbers): numbers.count * Self.bytesPerNumber
    case .bytes(let bytes): bytes.count * Self.bytesPerByte
    case .strings(let strings):
      strings.bytes.reduce(0) { $0 + Self.bytesPerNumber + $1.count * Self.bytesPerByte }
    case .tokens(let text): text.ids.count * Self.bytesPerNumber
    // The image, its PNG file, and that in Base64.
    case .image(let image): image.width * image.height * Self.bytesPerPixel
    case .audio(let audio): audio.frameCount * Self.bytesPerNumber
    case .classification(let classes): classes.labels.count * Self.bytesPerNumber
    case .list(let values): values.reduce(0) { $0 + $1.maxResultByteCount }
    }
  }

  /// A number and its text, in arrays that are copied when they grow.
  private static let bytesPerNumber = 72
  private static let bytesPerByte = 6
  private static let bytesPerPixel = 12
}
