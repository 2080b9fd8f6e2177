#if Everything
  import TensorIOBundle

  /// Groups of vectors of voices: the two most similar groups are merged until none are similar enough.
  ///
  /// The similarity of two groups is the mean cosine of all pairs of their vectors, which follows from the sums of their
  /// directions. Memory therefore grows with the number of vectors, and time with its square.
  struct SpeakerClusters {
    private struct Cluster {
      /// The sum of the directions of the vectors.
      var sum: [Double]
      var count = 1
      /// The most similar other cluster, and its similarity; `nil` for the last one.
      var nearest: (index: Int, similarity: Double)?

      /// Keeps another cluster if it is more similar than the nearest one.
      mutating func compare(_ index: Int, _ similarity: Double) {
        if similarity > nearest?.similarity ?? -.infinity { nearest = (index, similarity) }
      }
    }

    /// The group of each vector; groups are numbered by their first vector.
    let groups: [Int]
    /// The sum of the directions of each group.
    private let sums: [[Double]]

    /// Groups vectors.
    ///
    /// - Parameters:
    ///   - vectors: The vectors, all of one length.
    ///   - minSimilarity: The similarity from which two groups are merged.
    init(_ vectors: [Embedding], minSimilarity: Double) {
      var clusters: [Cluster?] = vectors.map { Cluster(sum: Self.direction(of: $0)) }
      var owners = Array(clusters.indices)
      for index in clusters.indices {
        for other in clusters.indices.dropFirst(index + 1) {
          guard let similarity = Self.similarity(clusters[index], clusters[other]) else { continue }
          clusters[index]?.compare(other, similarity)
          clusters[other]?.compare(index, similarity)
        }
      }
      while true {
        var best: (index: Int, other: Int, similarity: Double)?
        for (index, cluster) in clusters.enumerated() {
          guard let nearest = cluster?.nearest,
            nearest.similarity > best?.similarity ?? -.infinity
          else { continue }
          best = (index, nearest.index, nearest.similarity)
        }
        guard let best, best.similarity >= minSimilarity else { break }
        let (kept, gone) = (min(best.index, best.other), max(best.index, best.other))
        Self.merge(gone, into: kept, &clusters)
        for index in owners.indices where owners[index] == gone { owners[index] = kept }
      }
      var numbers: [Int: Int] = [:]
      groups = owners.map { owner in
        if let number = numbers[owner] { return number }
        numbers[owner] = numbers.count
        return numbers.count - 1
      }
      // Clusters have the index of their first vector.
      sums = clusters.compactMap(\.?.sum)
    }

    /// Merges a cluster with another one, and finds the nearest clusters again where they may have changed.
    private static func merge(_ gone: Int, into kept: Int, _ clusters: inout [Cluster?]) {
      guard let merged = clusters[gone] else { return }
      clusters[gone] = nil
      clusters[kept]?.count += merged.count
      clusters[kept]?.nearest = nil
      for index in merged.sum.indices { clusters[kept]?.sum[index] += merged.sum[index] }
      for index in clusters.indices where index != kept {
        // The merged group may have become the most similar one.
        guard let similarity = similarity(clusters[index], clusters[kept]) else { continue }
        clusters[kept]?.compare(index, similarity)
        let nearest = clusters[index]?.nearest?.index
        guard nearest == kept || nearest == gone else {
          clusters[index]?.compare(kept, similarity)
          continue
        }
        clusters[index]?.nearest = nil
        for other in clusters.indices where other != index {
          guard let similarity = Self.similarity(clusters[index], clusters[other]) else { continue }
          clusters[index]?.compare(other, similarity)
        }
      }
    }

    /// Returns the mean cosine of all pairs; `nil` if a cluster was merged with another one.
    private static func similarity(_ left: Cluster?, _ right: Cluster?) -> Double? {
      guard let left, let right else { return nil }
      return product(left.sum, right.sum) / Double(left.count * right.count)
    }

    /// Returns a vector of length 1; values that are no numbers are 0.
    private static func direction(of vector: Embedding) -> [Double] {
      vector.normalized.values.map { $0.isFinite ? Double($0) : 0 }
    }

    /// Returns the group that is most similar to a vector; `nil` if there is none.
    func nearest(to vector: Embedding) -> Int? {
      let unit = Self.direction(of: vector)
      return sums.indices.max { left, right in
        Self.cosine(sums[left], unit) < Self.cosine(sums[right], unit)
      }
    }

    private static func cosine(_ left: [Double], _ right: [Double]) -> Double {
      let lengths = product(left, left) * product(right, right)
      return lengths > 0 ? product(left, right) / lengths.squareRoot() : 0
    }

    private static func product(_ left: [Double], _ right: [Double]) -> Double {
      zip(left, right).reduce(0) { $0 + $1.0 * $1.1 }
    }
  }
#endif
