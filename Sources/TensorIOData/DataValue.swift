internal import TensorIOCore
internal import TensorIOImage
internal import TensorIOSystem

/// A value as the data holds it: at hand, or in a file that is read when its turn comes.
enum DataValue: Sendable {
  case value(LayerValue)
  case picture(String)

  /// The value itself.
  func load() throws(ModelError) -> LayerValue {
    switch self {
    case .value(let value): value
    case .picture(let path):
      .bytes(try FileBytes.read(path, limit: ImageLimits.fileBytes, stage: .input))
    }
  }
}
