public import TensorIOBundle

/// Embeddings that are known by names.
public protocol Gallery: Sendable {
  /// All that are enrolled, in the order in which they were.
  var entries: [GalleryEntry] { get throws(ModelError) }
  /// Adds an embedding under a name, beside those that the name has.
  mutating func enroll(_ embedding: Embedding, as name: String) throws(ModelError)
  /// Removes all embeddings of a name and says how many there were.
  @discardableResult
  mutating func remove(_ name: String) throws(ModelError) -> Int
}

/// An embedding under a name.
public struct GalleryEntry: Sendable, Hashable {
  /// Whose it is.
  public let name: String
  /// What the model made of a picture.
  public let embedding: Embedding

  /// An embedding under a name.
  public init(name: String, embedding: Embedding) {
    (self.name, self.embedding) = (name, embedding)
  }
}

/// Whom a gallery takes something for.
public struct Recognition: Sendable, Hashable {
  /// Somebody near, and how far.
  public struct Neighbor: Sendable, Hashable {
    /// Who it is.
    public let name: String
    /// How far it is.
    public let distance: Double
  }

  /// Who it is; `nil` for a stranger.
  public let name: String?
  /// How many of the nearest say so.
  public let votes: Int
  /// The nearest, however far, nearest first.
  public let neighbors: [Neighbor]

  /// The distance of the nearest that has the name, or of the nearest at all.
  public var distance: Double? {
    (neighbors.first { $0.name == name } ?? neighbors.first)?.distance
  }
}

extension Gallery {
  /// The name that most of the nearest embeddings have.
  ///
  /// Those that are farther than the threshold have no vote, and without votes it is a stranger. Of
  /// names with as many votes, the one with the nearest embedding wins.
  public func recognize(
    _ embedding: Embedding, neighbors count: Int = 3, _ options: EmbeddingOptions
  ) throws(ModelError) -> Recognition {
    var found: [Recognition.Neighbor] = []
    for entry in try entries {
      let distance = try embedding.distance(to: entry.embedding, by: options.metric)
      if !distance.isNaN { found.append(.init(name: entry.name, distance: distance)) }
    }
    let nearest = found.enumerated()
      .sorted { ($0.element.distance, $0.offset) < ($1.element.distance, $1.offset) }
      .prefix(max(1, count)).map(\.element)
    return Recognition(among: nearest, within: options.threshold ?? .infinity)
  }
}

extension Recognition {
  /// The outcome of a vote among neighbours, who stand nearest first.
  fileprivate init(among neighbors: [Neighbor], within threshold: Double) {
    var votes: [String: Int] = [:]
    for neighbor in neighbors where neighbor.distance <= threshold {
      votes[neighbor.name, default: 0] += 1
    }
    let most = votes.values.max()
    name = neighbors.first { votes[$0.name] == most && most != nil }?.name
    self.votes = most ?? 0
    self.neighbors = neighbors
  }
}

/// A gallery that is forgotten with the program.
public struct InMemoryGallery: Gallery, Hashable {
  /// All that are enrolled, in the order in which they were.
  public private(set) var entries: [GalleryEntry] = []

  /// A gallery of nobody.
  public init() {}

  /// Adds an embedding under a name.
  public mutating func enroll(_ embedding: Embedding, as name: String) {
    entries.append(GalleryEntry(name: name, embedding: embedding))
  }

  /// Removes all embeddings of a name and says how many there were.
  @discardableResult
  public mutating func remove(_ name: String) -> Int {
    let before = entries.count
    entries.removeAll { $0.name == name }
    return before - entries.count
  }
}

/// Names for what a chain finds and embeds, from a gallery.
package struct GalleryMatcher: Sendable {
  private let gallery: InMemoryGallery
  private let options: EmbeddingOptions

  /// The names of those who are known.
  package init(_ known: InMemoryGallery, _ options: EmbeddingOptions) {
    (self.gallery, self.options) = (known, options)
  }

  /// Whom the gallery takes something for.
  package func recognize(_ embedding: Embedding) throws(ModelError) -> Recognition {
    try gallery.recognize(embedding, options)
  }
}
