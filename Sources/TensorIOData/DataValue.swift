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

  /// The label that a value stands for: its only number, or the place of its only one among zeros.
  var label: Int? {
    guard case .value(.numbers(let numbers)) = self else { return nil }
    let values = numbers.doubles
    guard values.count > 1 else { return values.first.flatMap { Int(exactly: $0) } }
    let isOneHot = values.allSatisfy { $0 == 0 || $0 == 1 } && values.count { $0 == 1 } == 1
    return isOneHot ? values.firstIndex(of: 1) : nil
  }
}
