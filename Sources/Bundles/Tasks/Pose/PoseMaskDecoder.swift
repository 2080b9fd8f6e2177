import TensorIOBundle
import TensorIOCore
import TensorIOImage

/// Decodes the pixels of each person from a person segmentation and long offsets, as BodyPix models have them.
struct PoseMaskDecoder: Sendable {
  private let label: String
  private let heatmap: String
  private let mask: String
  private let longOffsets: String

  /// Creates a decoder for the outputs of a model.
  init(_ model: ModelInfo, _ roles: PoseRoles) throws(ModelError) {
    guard let heatmap = roles.heatmap, let mask = roles.mask, let longOffsets = roles.longOffsets
    else {
      throw ModelError(
        .bundle,
        .unmetRequirement(
          "masks of people require outputs with the roles heatmap, mask and long_offsets"),
        file: model.bundle.path)
    }
    label = model[PoseTask.label]
    (self.heatmap, self.mask, self.longOffsets) = (heatmap, mask, longOffsets)
  }

  /// Whether a model has the outputs that masks need.
  static func isAvailable(_ outputs: [Layer]) -> Bool {
    let roles = Set(outputs.compactMap(\.role))
    return roles.isSuperset(of: [.heatmap, .mask, .longOffsets])
  }

  /// Returns the masks of poses, in their order.
  func masks(
    of poses: Poses, in output: ModelOutput, namedBy names: [String]?
  ) throws(ModelError) -> [InstanceMask] {
    guard let geometry = output.imageGeometries.lazy.compactMap(\.self).first, !poses.isEmpty
    else { return [] }
    let grid = try KeypointGrid(PoseTensor(output, heatmap))
    let scores = try values(mask, of: output, count: grid.cellCount)
    let offsets = try values(
      longOffsets, of: output, count: 2 * grid.keypointCount * grid.cellCount)
    let strides = grid.strides(
      in: (Double(geometry.modelWidth), Double(geometry.modelHeight)))
    let people = poses.map { pose in
      pose.points(named: names).map { point -> PersonAssignment.Point? in
        guard let point else { return nil }
        let inModel = geometry.imageToModel.apply(point.x, point.y)
        return PersonAssignment.Point(
          y: Float(inModel.y / strides.y), x: Float(inModel.x / strides.x))
      }
    }
    guard
      let owners = PersonAssignment(
        height: grid.height, width: grid.width, keypointCount: grid.keypointCount, offsets: offsets,
        strides: strides)?.owners(of: people)
    else { return [] }
    let sampling = GridSampling(geometry, grid, strides: strides)
    // The logistic function of a positive score is above one half.
    let isPerson = sampling.interpolated(scores).map { $0 > 0 }
    return poses.indices.map { index in
      sampling.mask(of: poses[index], label: label) { cell, pixel in
        isPerson[pixel] && owners[cell] == index
      }
    }
  }

  private func values(
    _ name: String, of output: ModelOutput, count: Int
  ) throws(ModelError) -> [Float] {
    let values = try output.tensor(name).floats(ofLayer: name)
    guard values.count == count else {
      throw ModelError(
        .output, .wrongCount(expected: count, actual: values.count), layer: name)
    }
    return values
  }
}

extension GridSampling {
  /// Returns the pixels of a person, as the smallest region that contains them.
  ///
  /// - Parameters:
  ///   - pose: The pose of the person.
  ///   - label: The label of the person.
  ///   - isIncluded: Whether a pixel belongs to the person, given the nearest cell and the pixel's index.
  /// - Returns: The mask.
  fileprivate func mask(
    of pose: Pose, label: String, _ isIncluded: (_ cell: Int, _ pixel: Int) -> Bool
  ) -> InstanceMask {
    var (left, top, right, bottom) = (width, height, 0, 0)
    var included = [Bool](repeating: false, count: width * height)
    for (y, row) in rows.enumerated() {
      guard let cellRow = row.nearest else { continue }
      for (x, column) in columns.enumerated() {
        guard let cellColumn = column.nearest,
          isIncluded(cellRow * gridWidth + cellColumn, y * width + x)
        else { continue }
        included[y * width + x] = true
        (left, right) = (min(left, x), max(right, x + 1))
        (top, bottom) = (min(top, y), max(bottom, y + 1))
      }
    }
    let columns = min(left, right)..<right
    let region = min(top, bottom)..<bottom
    let box = BoundingBox(
      xmin: Double(columns.lowerBound), ymin: Double(region.lowerBound), xmax: Double(right),
      ymax: Double(bottom))
    return InstanceMask(
      detection: Detection(label: label, index: 0, score: pose.score, box: box),
      left: columns.lowerBound, top: region.lowerBound, width: columns.count,
      pixels: region.flatMap { y in columns.map { included[y * width + $0] } })
  }
}
