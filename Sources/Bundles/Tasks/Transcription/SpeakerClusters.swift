#if Everything
  import TensorIOBundle

  /// Groups of vectors of voices: the two most similar groups are merged until none are similar enough.
  ///
  /// The similarity of two groups is the mean cosine of all pairs of their vectors.
  struct SpeakerClusters {
    private struct Cluster {
      var count = 1
      /// The most similar other cluster, and its similarity; `nil` for the last one.
      var nearest: (index: Int, similarity: Double)?
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
      let units = vectors.map { vector in
        vector.normalized.values.map { $0.isFinite ? Double($0) : 0 }
      }
      var similarities = units.map { left in units.map { Self.product(left, $0) } }
      var owners = Array(units.indices)
      var clusters: [Cluster?] = units.map { _ in Cluster() }
      func findNearest(_ index: Int) {
        var nearest: (index: Int, similarity: Double)?
        for other in clusters.indices where other != index && clusters[other] != nil {
          let similarity = similarities[index][other]
          if similarity > nearest?.similarity ?? -.infinity { nearest = (other, similarity) }
        }
        clusters[index]?.nearest = nearest
      }
      for index in clusters.indices { findNearest(index) }
      while true {
        var best: (index: Int, other: Int, similarity: Double)?
        for (index, cluster) in clusters.enumerated() {
          guard let nearest = cluster?.nearest,
            nearest.similarity > best?.similarity ?? -.infinity
          else { continue }
          best = (index, nearest.index, nearest.similarity)
        }
        guard let best, best.similarity >= minSimilarity,
          let (a, b) = clusters[best.index].flatMap({ a in clusters[best.other].map { (a, $0) } })
        else { break }
        let (kept, gone) = (min(best.index, best.other), max(best.index, best.other))
        let (first, second) = best.index < best.other ? (a, b) : (b, a)
        let total = Double(first.count + second.count)
        for other in clusters.indices where clusters[other] != nil {
          let mean =
            (Double(first.count) * similarities[kept][other]
              + Double(second.count) * similarities[gone][other]) / total
          (similarities[kept][other], similarities[other][kept]) = (mean, mean)
        }
        clusters[kept]?.count += second.count
        clusters[gone] = nil
        for index in owners.indices where owners[index] == gone { owners[index] = kept }
        for index in clusters.indices
        where index == kept || [kept, gone].contains(clusters[index]?.nearest?.index) {
          findNearest(index)
        }
        // The merged group may have become the most similar one of others.
        for index in clusters.indices where index != kept && clusters[index] != nil {
          let similarity = similarities[index][kept]
          if similarity > clusters[index]?.nearest?.similarity ?? -.infinity {
            clusters[index]?.nearest = (kept, similarity)
          }
        }
      }
      var numbers: [Int: Int] = [:]
      groups = owners.map { owner in
        if let number = numbers[owner] { return number }
        numbers[owner] = numbers.count
        return numbers.count - 1
      }
      var sums = [[Double]](repeating: [], count: numbers.count)
      for (group, unit) in zip(groups, units) {
        sums[group] =
          sums[group].isEmpty ? unit : zip(sums[group], unit).map { $0 + $1 }
      }
      self.sums = sums
    }

    /// Returns the group that is most similar to a vector; `nil` if there is none.
    func nearest(to vector: Embedding) -> Int? {
      let unit = vector.normalized.values.map { $0.isFinite ? Double($0) : 0 }
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
