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

      /// Returns the mean cosine of all pairs.
      func similarity(to other: Cluster) -> Double {
        SpeakerClusters.product(sum, other.sum) / Double(count * other.count)
      }
    }

    /// The group of each vector; groups are numbered by their first vector.
    let groups: [Int]
    /// The sum of the directions of each group.
    private let sums: [[Double]]

    /// Groups vectors.
    ///
    /// A merged group is never more similar to a third one than the more similar of both was. Two groups that are the nearest
    /// ones of each other can therefore be merged at once, and a group whose nearest one is not similar enough is complete.
    ///
    /// - Parameters:
    ///   - vectors: The vectors, all of one length.
    ///   - minSimilarity: The similarity from which two groups are merged.
    init(_ vectors: [Embedding], minSimilarity: Double) {
      var clusters = vectors.map { Cluster(sum: Self.direction(of: $0)) }
      var owners = Array(clusters.indices)
      var isOpen = clusters.map { _ in true }
      // Each group is the nearest one of the group before it, and more similar to it than that one to the group before.
      var chain: [Int] = []
      while let last = chain.last ?? isOpen.firstIndex(of: true) {
        if chain.isEmpty { chain = [last] }
        let previous = chain.dropLast().last
        var nearest = previous.map { ($0, clusters[last].similarity(to: clusters[$0])) }
        for other in clusters.indices where isOpen[other] && other != last {
          let similarity = clusters[last].similarity(to: clusters[other])
          if similarity > nearest?.1 ?? -.infinity { nearest = (other, similarity) }
        }
        guard let (index, similarity) = nearest, similarity >= minSimilarity else {
          isOpen[last] = false
          chain.removeLast()
          continue
        }
        guard index == previous else {
          chain.append(index)
          continue
        }
        chain.removeLast(2)
        let (kept, gone) = (min(last, index), max(last, index))
        isOpen[gone] = false
        clusters[kept].count += clusters[gone].count
        for place in clusters[gone].sum.indices {
          clusters[kept].sum[place] += clusters[gone].sum[place]
        }
        clusters[gone].sum = []
        for place in owners.indices where owners[place] == gone { owners[place] = kept }
      }
      var numbers: [Int: Int] = [:]
      groups = owners.map { owner in
        if let number = numbers[owner] { return number }
        numbers[owner] = numbers.count
        return numbers.count - 1
      }
      // A group has the index of its first vector.
      sums = Set(owners).sorted().map { clusters[$0].sum }
    }

    /// Returns a vector of length 1; values that are no numbers are 0.
    private static func direction(of vector: Embedding) -> [Double] {
      vector.normalized.values.map { $0.isFinite ? Double($0) : 0 }
    }

    /// Returns the mean direction of a group.
    func direction(of group: Int) -> Embedding { Embedding(sums[group].map(Float.init)).normalized }

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
