/// Matches tracks with detections, with the smallest sum of distances.
///
/// Tracks and detections that are near each other, directly or through others, form groups. Groups are
/// independent, and in most frames small.
struct TrackMatcher {
  /// A track and a detection that can be matched.
  private struct Candidate {
    let track: Int
    let detection: Int
    let distance: Double
  }

  /// The result of a matching.
  struct Matches {
    /// The index of the detection of each track; `nil` for those without one.
    var detectionOfTrack: [Int?]
    /// Whether each detection has a track.
    var isDetectionMatched: [Bool]
  }

  /// The distance from which on there is no match.
  let maxDistance: Double
  /// Whether the overlap is multiplied by the score of the detection.
  let isScored: Bool
  /// Whether the classes may differ.
  let isClassAgnostic: Bool

  /// Returns the best matches.
  func matches(_ tracks: [TrackedBox], _ detections: [TrackedBox]) -> Matches {
    var matches = Matches(
      detectionOfTrack: [Int?](repeating: nil, count: tracks.count),
      isDetectionMatched: [Bool](repeating: false, count: detections.count))
    for group in Self.groups(
      candidates(tracks, detections), trackCount: tracks.count, detectionCount: detections.count)
    {
      for candidate in best(in: group) {
        matches.detectionOfTrack[candidate.track] = candidate.detection
        matches.isDetectionMatched[candidate.detection] = true
      }
    }
    return matches
  }

  /// Returns the pairs within the maximum distance, by track.
  private func candidates(_ tracks: [TrackedBox], _ detections: [TrackedBox]) -> [Candidate] {
    var candidates: [Candidate] = []
    for (track, a) in tracks.enumerated() {
      for (detection, b) in detections.enumerated() {
        guard a.overlaps(b), isClassAgnostic || a.classIndex == b.classIndex else { continue }
        let overlap = a.box.intersectionOverUnion(b.box)
        let distance = 1 - (isScored ? overlap * b.score : overlap)
        if distance < maxDistance {
          candidates.append(Candidate(track: track, detection: detection, distance: distance))
        }
      }
    }
    return candidates
  }

  /// Returns the candidates divided into groups that have no track and no detection in common.
  private static func groups(
    _ candidates: [Candidate], trackCount: Int, detectionCount: Int
  ) -> [[Candidate]] {
    // A forest of tracks, followed by detections.
    var parents = Array(0..<(trackCount + detectionCount))
    func root(of node: Int) -> Int {
      var node = node
      while parents[node] != node {
        parents[node] = parents[parents[node]]
        node = parents[node]
      }
      return node
    }
    for candidate in candidates {
      parents[root(of: trackCount + candidate.detection)] = root(of: candidate.track)
    }
    var indices = [Int?](repeating: nil, count: parents.count)
    var groups: [[Candidate]] = []
    for candidate in candidates {
      let root = root(of: candidate.track)
      if let index = indices[root] {
        groups[index].append(candidate)
      } else {
        indices[root] = groups.count
        groups.append([candidate])
      }
    }
    return groups
  }

  /// Returns the matches of a group.
  private func best(in group: [Candidate]) -> [Candidate] {
    guard group.count > 1 else { return group }
    let tracks = Set(group.map(\.track)).sorted()
    let detections = Set(group.map(\.detection)).sorted()
    guard tracks.count > 1, detections.count > 1 else {
      return group.min { $0.distance < $1.distance }.map { [$0] } ?? []
    }
    let row = Dictionary(uniqueKeysWithValues: zip(tracks, tracks.indices))
    let column = Dictionary(uniqueKeysWithValues: zip(detections, detections.indices))
    // All other pairs cost as much as no match.
    var costs = [Double](repeating: maxDistance, count: tracks.count * detections.count)
    for candidate in group {
      guard let row = row[candidate.track], let column = column[candidate.detection] else {
        continue
      }
      costs[row * detections.count + column] = candidate.distance
    }
    let columns = LinearAssignment.columns(minimizing: costs, columnCount: detections.count)
    return columns.enumerated().compactMap { row, column in
      guard let column, costs[row * detections.count + column] < maxDistance else { return nil }
      return Candidate(
        track: tracks[row], detection: detections[column],
        distance: costs[row * detections.count + column])
    }
  }
}

/// The properties of a track or of a detection that are compared.
struct TrackedBox: Sendable {
  let box: BoundingBox
  let classIndex: Int
  let score: Double

  init(_ box: BoundingBox, classIndex: Int, score: Double = 1) {
    (self.box, self.classIndex, self.score) = (box, classIndex, score)
  }

  /// Returns whether the boxes have an area in common.
  func overlaps(_ other: TrackedBox) -> Bool {
    box.xmin < other.box.xmax && other.box.xmin < box.xmax && box.ymin < other.box.ymax
      && other.box.ymin < box.ymax
  }

  init(_ detection: Detection) {
    self.init(detection.box, classIndex: detection.index, score: Double(detection.score))
  }
}
