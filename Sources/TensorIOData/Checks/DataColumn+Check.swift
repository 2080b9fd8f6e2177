internal import TensorIOCore

extension DataColumn {
  /// What is wrong with a value for the layer; `nil` when it fits.
  func fault(of value: DataValue) -> DataFault? {
    switch value {
    case .picture(let path): PictureCheck.fault(of: path)
    case .value(.numbers(let numbers)): fault(of: numbers)
    case .value(.list(let values)) where !isPicture: fault(ofList: values)
    case .value: nil
    }
  }

  private func fault(of numbers: Numbers) -> DataFault? {
    if let expected = exactCount, numbers.count != expected {
      return .wrongCount(expected: expected, found: numbers.count)
    }
    let values = numbers.doubles
    if let strange = values.first(where: { !$0.isFinite }) { return .notFinite(strange) }
    if let fault = labelFault(of: values) { return fault }
    guard let (type, range) = integers else { return nil }
    return values.first { $0.rounded() != $0 || !range.contains($0) }
      .map { .outOfRange($0, type) }
  }

  /// Rows of differing length fit no layer of numbers.
  private func fault(ofList values: [LayerValue]) -> DataFault? {
    DataFault(
      code: "ragged-array", expected: "rows of one length", found: "\(values.count) of several",
      message: "The rows differ.")
  }

  /// How many numbers the layer takes, where its description tells.
  private var exactCount: Int? {
    layer.shape.axes.dropFirst().contains(nil) ? nil : layer.elementCount
  }

  private func labelFault(of values: [Double]) -> DataFault? {
    guard !labels.isEmpty, values.count == 1 else { return nil }
    guard values[0] == values[0].rounded(), (0..<Double(labels.count)).contains(values[0]) else {
      return .labelOutOfRange(values[0].shortest, count: labels.count)
    }
    return nil
  }

  /// The integers that the layer can hold, where it holds them as they are.
  private var integers: (ElementType, ClosedRange<Double>)? {
    switch layer.kind {
    case .array(let numeric), .scalar(let numeric):
      guard numeric.quantize == nil, let type = numeric.elementType else { return nil }
      return type.integers.map { (type, $0) }
    case .image, .string: return nil
    }
  }
}

extension ElementType {
  /// The integers of the type.
  fileprivate var integers: ClosedRange<Double>? {
    switch self {
    case .uint8: 0...255
    case .int8: -128...127
    case .int16: Self.range(of: Int16.self)
    case .int32: Self.range(of: Int32.self)
    case .int64: Self.range(of: Int64.self)
    case .float32, .float16, .float64, .bool, .string: nil
    }
  }

  private static func range<Integer: FixedWidthInteger>(
    of type: Integer.Type
  ) -> ClosedRange<Double> {
    Double(Integer.min)...Double(Integer.max)
  }
}
