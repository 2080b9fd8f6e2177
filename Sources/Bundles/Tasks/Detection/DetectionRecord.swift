import TensorIOCore
public import TensorIOImage

/// A detection as it leaves the library: with the number of its object, its mask, and what later steps of a chain found.
package struct DetectionRecord: ResultValue {
  let id: Int?
  let detection: Detection
  let mask: InstanceMask?
  let attributes: DetectionAttributes?

  /// Returns detections as a column.
  ///
  /// The outputs of later steps are members, which only some detections may have.
  package static func column(of values: [DetectionRecord]) -> ResultColumn {
    var columns = members.map { ResultColumn.Member($0.name, $0.column(values)) }
    columns.removeAll { $0.column.isMissing }
    var names: [String] = []
    for layer in values.flatMap({ $0.attributes?.layers ?? [] }) where !names.contains(layer.name) {
      names.append(layer.name)
    }
    for name in names {
      let found = values.map { record in
        record.attributes?.layers.first { $0.name == name }?.value
      }
      columns.append(.init(DetectionAttributes.memberName(name), LayerValue?.column(of: found)))
    }
    return .records(columns)
  }

  private static let members: [ResultMember<DetectionRecord>] =
    [
      .init("id", \.id), .init("label", \.detection.label), .init("index", \.detection.index),
      .init("score", \.detection.score), .init("color", \.detection.color.hexadecimal),
      .init("box", \.detection.box), .init("corners") { $0.detection.corners.nonEmpty },
      .init("keypoints") { $0.detection.keypoints.nonEmpty }, .init("mask", \.mask),
    ] + Recognition.ownMembers.map { $0.of(\.attributes?.recognition) }
}

extension BoundingBox: ResultRecord {
  /// The edges, rounded to hundredths of a pixel.
  public static let members = [
    Member("xmin", \.xmin.roundedToHundredths), Member("ymin", \.ymin.roundedToHundredths),
    Member("xmax", \.xmax.roundedToHundredths), Member("ymax", \.ymax.roundedToHundredths),
  ]
}

extension Keypoint: ResultRecord {
  /// The name and the position, rounded to hundredths of a pixel.
  public static let members = [
    Member("name", \.name), Member("x", \.x.roundedToHundredths),
    Member("y", \.y.roundedToHundredths),
  ]
}

extension AffineMap.Point: ResultValue {
  /// Returns points as lists of their coordinates, rounded to hundredths of a pixel.
  public static func column(of values: [AffineMap.Point]) -> ResultColumn {
    [Double].column(of: values.map { [$0.x.roundedToHundredths, $0.y.roundedToHundredths] })
  }
}

extension Array {
  /// The array; `nil` if it is empty.
  fileprivate var nonEmpty: [Element]? { isEmpty ? nil : self }
}
