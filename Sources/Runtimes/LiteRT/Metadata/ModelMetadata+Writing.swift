import TensorIOBundle
import TensorIOCore

extension ModelMetadata {
  /// The metadata as the table of TensorFlow Lite Metadata, with the tensors in the order of the
  /// model's main subgraph.
  var tfliteBytes: [UInt8] {
    var fields: [Int: FlatBufferNode.Value] = [
      3: .tables([
        FlatBufferNode([2: .tables(inputs.map(\.node)), 3: .tables(outputs.map(\.node))])
      ]),
      7: .string(Self.minParserVersion),
    ]
    for (field, text) in [(0, name), (1, details), (2, version), (4, author), (5, license)]
    where !text.isEmpty {
      fields[field] = .string(text)
    }
    return FlatBufferNode(fields).file(identifier: Self.tableIdentifier)
  }

  /// The identifier of the table's flatbuffer.
  private static let tableIdentifier = "M001"
  /// The first version of the format that has all fields.
  private static let minParserVersion = "1.0.0"
}

extension ModelMetadata.TensorMetadata {
  /// The table of a tensor.
  fileprivate var node: FlatBufferNode {
    var fields: [Int: FlatBufferNode.Value] = [:]
    if !name.isEmpty { fields[0] = .string(name) }
    if !details.isEmpty { fields[1] = .string(details) }
    if let contentNode { fields[3] = .table(contentNode) }
    if !processUnits.isEmpty { fields[4] = .tables(processUnits) }
    let files = labelFiles.map(fileNode) + (calibration.map { [$0.fileNode] } ?? [])
    if !files.isEmpty { fields[6] = .tables(files) }
    return FlatBufferNode(fields)
  }

  private var contentNode: FlatBufferNode? {
    let (code, properties): (UInt8, FlatBufferNode) =
      switch content {
      case .unknown: (0, FlatBufferNode())
      case .features: (1, FlatBufferNode())
      case .image(let isColored):
        (2, FlatBufferNode(isColored.map { [0: .byte($0 ? 1 : 2)] } ?? [:]))
      case .boundingBoxes: (3, boxes?.node ?? FlatBufferNode())
      case .audio: (4, FlatBufferNode())
      }
    return code == 0 ? nil : FlatBufferNode([0: .byte(code), 1: .table(properties)])
  }

  private var processUnits: [FlatBufferNode] {
    var units: [FlatBufferNode] = []
    if !mean.isEmpty || !standardDeviation.isEmpty {
      let options = FlatBufferNode([
        0: .words(mean.map(\.bitPattern)), 1: .words(standardDeviation.map(\.bitPattern)),
      ])
      units.append(FlatBufferNode([0: .byte(1), 1: .table(options)]))
    }
    if let calibration {
      units.append(FlatBufferNode([0: .byte(2), 1: .table(calibration.optionsNode)]))
    }
    if let scoreThreshold {
      let options = FlatBufferNode([0: .word(scoreThreshold.bitPattern)])
      units.append(FlatBufferNode([0: .byte(3), 1: .table(options)]))
    }
    return units
  }

  /// The table of a file with the labels of the tensor's elements, or of its values.
  private func fileNode(_ name: String) -> FlatBufferNode {
    FlatBufferNode([0: .string(name), 2: .byte(hasValueLabels ? 3 : 2)])
  }
}

extension CalibrationDescription {
  /// The table of the file with the parameters.
  fileprivate var fileNode: FlatBufferNode { FlatBufferNode([0: .string(file), 2: .byte(4)]) }

  fileprivate var optionsNode: FlatBufferNode {
    let code = Self.transforms.firstIndex(of: transform) ?? 0
    return FlatBufferNode([0: .byte(UInt8(code)), 1: .word(defaultScore.bitPattern)])
  }
}

extension ModelMetadata.BoxProperties {
  fileprivate var node: FlatBufferNode {
    let code: UInt8 =
      switch kind {
      case .boundaries: 1
      case .upperLeft: 2
      case .center: 3
      }
    return FlatBufferNode([
      0: .words(order.map { UInt32($0) }), 1: .byte(code), 2: .byte(isInPixels ? 1 : 0),
    ])
  }
}
