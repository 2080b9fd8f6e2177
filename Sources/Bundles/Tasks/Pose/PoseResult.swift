package import TensorIOBundle
import TensorIOCore
package import TensorIOImage
import TensorIOJSON
import TensorIOSystem

/// The poses of a run, for output and drawing.
package struct PoseResult: TaskResult {
  package let key = "poses"
  package var poses: Poses
  /// The pixels of each person; empty for models without masks.
  package var masks: [InstanceMask] = []
  /// The number of each pose's object in a stream; empty if objects are not tracked.
  var ids: [Int?] = []
  /// The numbers of objects in a stream; `nil` if they are not tracked.
  var counts: TrackingCounts?
  /// The label of all poses.
  let label: String
  /// The minimum score of the keypoints that are drawn and listed in texts.
  let minimumKeypointScore: Float

  init(poses: Poses, label: String, minimumKeypointScore: Float) {
    (self.poses, self.label, self.minimumKeypointScore) = (poses, label, minimumKeypointScore)
  }

  package var content: [PoseRecord] {
    poses.indices.map { index in
      PoseRecord(
        id: id(at: index), label: label, color: color(at: index), pose: poses[index],
        mask: masks.indices.contains(index) ? masks[index] : nil)
    }
  }

  package var json: ResultJSON? {
    counts.map { counts in
      ResultJSON(recordMembers: { writer in
        writer.key("counts")
        counts.write(to: &writer)
      })
    }
  }

  /// Returns the number of the object of a pose; `nil` if it has none.
  private func id(at index: Int) -> Int? { ids.indices.contains(index) ? ids[index] : nil }

  /// Returns the label of a pose, with the number of its object.
  private func title(at index: Int) -> String { label + (id(at: index).map { " #\($0)" } ?? "") }

  /// Returns the color of a pose, which depends on its object, or on its position.
  private func color(at index: Int) -> PixelColor {
    .forClass(id(at: index).map { $0 - 1 } ?? index)
  }

  /// Returns the keypoints that are drawn and listed.
  private func visibleKeypoints(of pose: Pose) -> [Pose.Keypoint] {
    pose.keypoints.filter { $0.score >= minimumKeypointScore }
  }
}

extension PoseResult {
  /// The maximum number of keypoints of a pose that are listed; of a dense mesh, only the extent is.
  private static let maxListedKeypoints = 40

  package var textLines: [String] {
    let rows = poses.enumerated().flatMap { index, pose in
      [headline(of: pose, at: index)]
        + (pose.keypoints.count > Self.maxListedKeypoints ? [] : keypointLines(of: pose))
    }
    return ["  poses"] + (rows.isEmpty ? ["    none above the threshold"] : rows)
  }

  private func headline(of pose: Pose, at index: Int) -> String {
    let edges = (pose.box ?? pose.extent)?.edges.map { "\(Int(clamping: $0.value.rounded()))" }
    return "    \(title(at: index).sanitizedForTerminal)  \(pose.score.formatted(decimals: 4))"
      + (edges.map { "  x \($0[0])–\($0[2])  y \($0[1])–\($0[3])" } ?? "")
      + "  \(visibleKeypoints(of: pose).count) of \(pose.keypoints.count) keypoints"
  }

  private func keypointLines(of pose: Pose) -> [String] {
    let keypoints = visibleKeypoints(of: pose)
    let names = keypoints.map(\.name.sanitizedForTerminal)
    let width = names.map(\.count).max() ?? 0
    return zip(keypoints, names).map { keypoint, name in
      "      \(name)\(String(repeating: " ", count: width - name.count))"
        + "  \(keypoint.score.formatted(decimals: 4))"
        + "  x \(Int(clamping: keypoint.x.rounded()))  y \(Int(clamping: keypoint.y.rounded()))"
    }
  }

  package var tableRows: [ResultRow] {
    poses.enumerated().flatMap { index, pose in
      let prefix = "poses/\(index)"
      let values =
        [("score", "\(pose.score)")] + (pose.box?.edges.map { ($0.name, "\($0.value)") } ?? [])
      return values.map { ResultRow(output: "\(prefix)/\($0.0)", label: label, value: $0.1) }
        + pose.keypoints.enumerated().flatMap { position, keypoint in
          [
            ("x", "\(keypoint.x.roundedToHundredths)"), ("y", "\(keypoint.y.roundedToHundredths)"),
            ("keypoint_score", "\(keypoint.score)"),
          ].map { name, value in
            ResultRow(
              output: "\(prefix)/\(name)", index: "\(position)", label: keypoint.name,
              value: value)
          }
        }
    }
  }

  package var summary: String {
    let objects = poses.enumerated().map { index, pose in
      "(\(pose.score.formatted(decimals: 2))) \(title(at: index))"
    }.joined(separator: ", ")
    return [objects, counts?.text ?? ""].filter { !$0.isEmpty }.joined(separator: " · ")
  }

  package func cutOut(from image: ImageBuffer) throws(ModelError) -> ImageBuffer? {
    try masks.cutOut(from: image)
  }

  package var notes: [String] { poses.inconsistencies.map(\.description) }

  package var overlay: Overlay {
    Overlay(
      masks.enumerated().compactMap { $1.element(in: color(at: $0)) } + (counts?.overlay ?? [])
        + poses.enumerated().flatMap { index, pose -> [Overlay.Element] in
          let color = color(at: index)
          let lines = poses.limbs(of: pose, minimumScore: minimumKeypointScore).map {
            Overlay.Line(from: $0.start.point, to: $0.end.point, color: color)
          }
          let points = visibleKeypoints(of: pose).map(\.point)
          return (lines.isEmpty ? [] : [.lines(lines)])
            + (points.isEmpty ? [] : [.points(points, color: color)])
            + (pose.box.map {
              [
                .box(
                  Overlay.Box(
                    box: $0, label: title(at: index), score: Double(pose.score), color: color))
              ]
            } ?? [])
        })
  }
}
