/// Classes of scalars that some sets do not distinguish.
struct ScalarPartition: Sendable {
  private static let maxSets = 64
  private static let maxClasses = 250

  /// A scalar of each class.
  let samples: [UInt32]
  /// The class of each scalar of the Basic Multilingual Plane.
  private let table: [UInt8]
  /// The first scalars of the ranges of one class beyond it, and their classes.
  private let (starts, classes): ([UInt32], [UInt8])

  /// The number of classes.
  var count: Int { samples.count }

  /// Creates the classes, or returns `nil` if there are too many sets or classes.
  init?(_ sets: [ScalarSet]) {
    let sets = Array(Set(sets))
    guard sets.count <= Self.maxSets else { return nil }
    // The places where membership in a set changes.
    var changes: [(scalar: UInt32, set: UInt64)] = []
    for (index, set) in sets.enumerated() {
      for range in set.ranges {
        changes.append((range.lowerBound, 1 << UInt64(index)))
        changes.append((range.upperBound + 1, 1 << UInt64(index)))
      }
    }
    changes.sort { $0.scalar < $1.scalar }
    var indices: [UInt64: UInt8] = [:]
    var samples: [UInt32] = []
    var table: [UInt8] = []
    var (starts, classes): ([UInt32], [UInt8]) = ([], [])
    var members: UInt64 = 0
    var (start, next) = (UInt32(0), 0)
    while start <= 0x10_FFFF {
      while next < changes.count, changes[next].scalar == start {
        members ^= changes[next].set
        next += 1
      }
      let end = next < changes.count ? min(changes[next].scalar, 0x11_0000) : 0x11_0000
      if indices[members] == nil {
        guard samples.count < Self.maxClasses else { return nil }
        indices[members] = UInt8(samples.count)
        samples.append(start)
      }
      let index = indices[members] ?? 0
      table += [UInt8](
        repeating: index, count: Int(min(end, 0x1_0000)) - Int(min(start, 0x1_0000)))
      if end > 0x1_0000 {
        starts.append(max(start, 0x1_0000))
        classes.append(index)
      }
      start = end
    }
    (self.samples, self.table, self.starts, self.classes) = (samples, table, starts, classes)
  }

  /// Returns the class of a scalar.
  @inline(__always)
  func index(of scalar: UInt32) -> Int {
    scalar < 0x1_0000 ? Int(table[Int(scalar)]) : indexBeyondPlane(scalar)
  }

  private func indexBeyondPlane(_ scalar: UInt32) -> Int {
    var (first, end) = (0, starts.count)
    while end - first > 1 {
      let middle = (first + end) >> 1
      if starts[middle] <= scalar { first = middle } else { end = middle }
    }
    return Int(classes[first])
  }
}
