/// A map from byte strings to nonnegative numbers, which finds all keys that begin at an offset in one walk.
///
/// Nodes are numbered breadth first, so that the children of a node are consecutive.
final class ByteTrie: Sendable {
  /// The maximum number of nodes.
  static let maxNodes = 1 << 24
  /// The node of the empty string.
  static let root: Int32 = 0
  /// The absent node or value.
  static let none: Int32 = -1

  /// The first child of each node; its children end at the first child of the next node.
  private let firstChild: [Int32]
  /// The last byte of each node's string.
  private let labels: [UInt8]
  private let values: [Int32]
  private let rootChildren: [Int32]

  /// Creates a map; of equal keys, the last one counts.
  ///
  /// - Parameters:
  ///   - ranges: The locations of the keys in `bytes`.
  ///   - bytes: The memory with the keys.
  ///   - keyValues: The numbers of the keys.
  /// - Throws: ``TokenizerError`` if there are too many nodes.
  init(
    keys ranges: [Range<Int>], in bytes: [UInt8], values keyValues: [Int32]
  ) throws(TokenizerError) {
    let order = SortedKeys.order(of: ranges, in: bytes)
    var firstChild: [Int32] = []
    var labels: [UInt8] = [0]
    var values = [ByteTrie.none]
    // Of each node whose children do not exist yet: its keys in `order`.
    var groups = [0..<order.count]
    var nextGroups: [Range<Int>] = []
    var depth = 0
    while !groups.isEmpty {
      nextGroups.removeAll(keepingCapacity: true)
      let firstNode = labels.count - groups.count
      for (position, group) in groups.enumerated() {
        firstChild.append(Int32(labels.count))
        var index = group.lowerBound
        while index < group.upperBound, ranges[order[index]].count == depth {
          values[firstNode + position] = keyValues[order[index]]
          index += 1
        }
        while index < group.upperBound {
          let byte = bytes[ranges[order[index]].lowerBound + depth]
          let start = index
          while index < group.upperBound,
            bytes[ranges[order[index]].lowerBound + depth] == byte
          { index += 1 }
          labels.append(byte)
          values.append(Self.none)
          nextGroups.append(start..<index)
        }
        guard labels.count <= Self.maxNodes else {
          throw TokenizerError(vocabulary: "its tokens have too many different beginnings")
        }
      }
      swap(&groups, &nextGroups)
      depth += 1
    }
    firstChild.append(Int32(labels.count))
    var rootChildren = [Int32](repeating: ByteTrie.none, count: 256)
    for child in Int(firstChild[0])..<Int(firstChild[1]) {
      rootChildren[Int(labels[child])] = Int32(child)
    }
    self.firstChild = firstChild
    self.labels = labels
    self.values = values
    self.rootChildren = rootChildren
  }

  /// Returns the child of a node for a byte, or `none`.
  @inline(__always)
  func child(of node: Int32, _ byte: UInt8) -> Int32 {
    if node == Self.root { return rootChildren[Int(byte)] }
    var low = firstChild[Int(node)]
    var high = firstChild[Int(node) + 1]
    while high - low > 8 {
      let middle = (low + high) >> 1
      if labels[Int(middle)] <= byte { low = middle } else { high = middle }
    }
    while low < high {
      if labels[Int(low)] == byte { return low }
      low += 1
    }
    return Self.none
  }

  /// Returns the children of a node, in order of their bytes.
  @inline(__always)
  func children(of node: Int32) -> Range<Int32> {
    firstChild[Int(node)]..<firstChild[Int(node) + 1]
  }

  /// Returns the last byte of a node's string.
  @inline(__always)
  func byte(of node: Int32) -> UInt8 { labels[Int(node)] }

  /// Returns the number of a node's string, or `none` if it is not a key.
  @inline(__always)
  func value(of node: Int32) -> Int32 { values[Int(node)] }

  /// Returns the node of a string, or `none`.
  func node(of string: some Sequence<UInt8>, from start: Int32 = ByteTrie.root) -> Int32 {
    var node = start
    for byte in string {
      if node == Self.none { return node }
      node = child(of: node, byte)
    }
    return node
  }

  /// Returns the number of a key, or `nil` if there is none.
  func value(of key: some Sequence<UInt8>) -> Int32? {
    let node = node(of: key)
    guard node != Self.none, value(of: node) != Self.none else { return nil }
    return value(of: node)
  }
}

extension ByteTrie {
  /// Returns the node of a range of a text, or `none`.
  @inline(__always)
  func node(of range: Range<Int>, in text: Span<UInt8>) -> Int32 {
    var node = Self.root
    for index in range {
      guard node != Self.none else { break }
      node = child(of: node, text[index])
    }
    return node
  }

  /// Returns the length of the longest key at an offset of a text, or 0 if there is none.
  @inline(__always)
  func longestMatch(at offset: Int, in text: Span<UInt8>) -> Int {
    var node = Self.root
    var length = 0
    var index = offset
    while index < text.count {
      node = child(of: node, text[index])
      guard node != Self.none else { break }
      index += 1
      if value(of: node) != Self.none { length = index - offset }
    }
    return length
  }
}
