import TensorIOCore
import TensorIOImage
package import TensorIOJSON
import TensorIOSystem

/// The poses of a run, for output and drawing.
package struct PoseResult: TaskResult {
  package let key = "poses"
  package var poses: Poses
  /// The label of each pose.
  let label: String
  /// The minimum score of the keypoints that are drawn and listed in texts.
  let keypointThreshold: Float

  init(poses: Poses, label: String, keypointThreshold: Float) {
    (self.poses, self.label, self.keypointThreshold) = (poses, label, keypointThreshold)
  }

  package func write(to writer: inout JSONWriter) {
    writer.array { writer in
      for (index, pose) in poses.enumerated() {
        writer.object { writer in write(pose, Self.color(of: index), to: &writer) }
      }
    }
  }

  private func write(_ pose: Pose, _ color: PixelColor, to writer: inout JSONWriter) {
    writer.member("label", label)
    writer.member("score", pose.score)
    writer.member("color", color.hexadecimal)
    if let box = pose.box {
      writer.member(
        "box",
        object: { writer in
          for (name, edge) in box.edges { writer.member(name, edge) }
        })
    }
    writer.member(
      "keypoints",
      array: { writer in
        for keypoint in pose.keypoints {
          writer.object { writer in
            writer.member("name", keypoint.name)
            writer.member("x", keypoint.x.roundedToHundredths)
            writer.member("y", keypoint.y.roundedToHundredths)
            writer.member("score", keypoint.score)
          }
        }
      })
  }

  /// Returns the color of a pose, which depends on its position.
  private static func color(of index: Int) -> PixelColor { .forClass(index) }

  /// Returns the keypoints that are drawn and listed.
  private func visibleKeypoints(of pose: Pose) -> [Pose.Keypoint] {
    pose.keypoints.filter { $0.score >= keypointThreshold }
  }
}

extension PoseResult {
  /// The maximum number of keypoints of a pose that are listed; of a dense mesh, only the extent is.
  private static let maxListedKeypoints = 40

  package var textLines: [String] {
    let rows = poses.flatMap { pose in
      [headline(of: pose)]
        + (pose.keypoints.count > Self.maxListedKeypoints ? [] : keypointLines(of: pose))
    }
    return ["  poses"] + (rows.isEmpty ? ["    none above the threshold"] : rows)
  }

  private func headline(of pose: Pose) -> String {
    let edges = (pose.box ?? pose.extent)?.edges.map { "\(Int(clamping: $0.value.rounded()))" }
    return "    \(label.sanitizedForTerminal)  \(pose.score.formatted(decimals: 4))"
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
    poses.map { "(\($0.score.formatted(decimals: 2))) \(label)" }.joined(separator: ", ")
  }

  package var notes: [String] { poses.inconsistencies.map(\.description) }

  package var overlay: Overlay {
    Overlay(
      poses.enumerated().flatMap { index, pose -> [Overlay.Element] in
        let color = Self.color(of: index)
        let lines = poses.limbs(of: pose, threshold: keypointThreshold).map {
          Overlay.Line(from: $0.start.point, to: $0.end.point, color: color)
        }
        let points = visibleKeypoints(of: pose).map(\.point)
        return (lines.isEmpty ? [] : [.lines(lines)])
          + (points.isEmpty ? [] : [.points(points, color: color)])
          + (pose.box.map {
            [.box(Overlay.Box(box: $0, label: label, score: Double(pose.score), color: color))]
          } ?? [])
      })
  }
}
