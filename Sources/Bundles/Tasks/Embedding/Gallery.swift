public import TensorIOBundle

/// Embeddings stored under names.
public protocol Gallery: Sendable {
  /// The entries, in the order of enrollment.
  var entries: [GalleryEntry] { get throws(ModelError) }
  /// Adds an embedding under a name, which may already have others.
  mutating func enroll(_ embedding: Embedding, as name: String) throws(ModelError)
  /// Removes all embeddings of a name and returns their number.
  @discardableResult
  mutating func remove(_ name: String) throws(ModelError) -> Int
}

/// An embedding stored under a name.
public struct GalleryEntry: Sendable, Hashable {
  /// The name.
  public let name: String
  /// The embedding.
  public let embedding: Embedding

  /// Creates an entry.
  public init(name: String, embedding: Embedding) {
    (self.name, self.embedding) = (name, embedding)
  }
}

/// The result of searching a gallery.
public struct Recognition: Sendable, Hashable {
  /// An entry near the embedding that was searched for.
  public struct Neighbor: Sendable, Hashable {
    /// The name of the entry.
    public let name: String
    /// The distance of the entry.
    public let distance: Double
  }

  /// The recognized name; `nil` if no entry is near enough.
  public let name: String?
  /// The number of nearest entries with the recognized name.
  public let votes: Int
  /// The nearest entries in ascending order of distance, including those beyond the threshold.
  public let neighbors: [Neighbor]

  /// The distance of the nearest entry with the recognized name, or of the nearest entry.
  public var distance: Double? {
    (neighbors.first { $0.name == name } ?? neighbors.first)?.distance
  }
}

extension Gallery {
  /// Recognizes an embedding by majority vote among the nearest entries.
  ///
  /// Entries beyond the threshold are not counted; if none remains, the name is `nil`. In a tie,
  /// the name with the nearest entry wins. No more entries vote than each of the names among the
  /// nearest has, so that a name with few entries is not outvoted by one with many.
  ///
  /// - Parameters:
  ///   - embedding: The embedding to recognize.
  ///   - count: The maximum number of nearest entries that vote.
  ///   - options: The metric and the threshold.
  /// - Returns: The name, and the nearest entries.
  /// - Throws: A `ModelError` if an entry has another length.
  public func recognize(
    _ embedding: Embedding, neighbors count: Int = 3, _ options: EmbeddingOptions
  ) throws(ModelError) -> Recognition {
    var candidates: [Recognition.Neighbor] = []
    for entry in try entries {
      let distance = try embedding.distance(to: entry.embedding, by: options.metric)
      if !distance.isNaN { candidates.append(.init(name: entry.name, distance: distance)) }
    }
    var entryCounts: [String: Int] = [:]
    for candidate in candidates { entryCounts[candidate.name, default: 0] += 1 }
    let nearest = candidates.enumerated()
      .sorted { ($0.element.distance, $0.offset) < ($1.element.distance, $1.offset) }
      .prefix(max(1, count)).map(\.element)
    return Recognition(
      among: nearest, within: options.maxDistance ?? .infinity, entryCounts: entryCounts)
  }
}

extension Recognition {
  /// Creates the result of a vote among neighbors in ascending order of distance.
  fileprivate init(
    among neighbors: [Neighbor], within threshold: Double, entryCounts: [String: Int]
  ) {
    let matches = neighbors.prefix { $0.distance <= threshold }
    let maxVotes = matches.compactMap { entryCounts[$0.name] }.min() ?? 0
    var votes: [String: Int] = [:]
    for neighbor in matches.prefix(maxVotes) {
      votes[neighbor.name, default: 0] += 1
    }
    let most = votes.values.max()
    name = neighbors.first { votes[$0.name] == most && most != nil }?.name
    self.votes = most ?? 0
    self.neighbors = neighbors
  }
}

/// A gallery in memory.
public struct InMemoryGallery: Gallery, Hashable {
  /// The entries, in the order of enrollment.
  public private(set) var entries: [GalleryEntry] = []

  /// Creates an empty gallery.
  public init() {}

  /// Adds an embedding under a name.
  public mutating func enroll(_ embedding: Embedding, as name: String) {
    entries.append(GalleryEntry(name: name, embedding: embedding))
  }

  /// Removes all embeddings of a name and returns their number.
  @discardableResult
  public mutating func remove(_ name: String) -> Int {
    let before = entries.count
    entries.removeAll { $0.name == name }
    return before - entries.count
  }
}
