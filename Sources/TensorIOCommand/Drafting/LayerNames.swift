internal import TensorIOCore

/// Names by which an application can speak of a model's layers: short, and each its own.
struct LayerNames: Sendable {
  private var taken: Set<String> = []

  init() {}

  /// The wanted name, or one like it that is free.
  mutating func take(_ wanted: String) -> String {
    var name = wanted
    var number = 2
    while !taken.insert(name).inserted {
      name = "\(wanted)_\(number)"
      number += 1
    }
    return name
  }

  /// What is left of a tensor's name without what converters add to it.
  static func short(_ tensor: String, otherwise: String) -> String {
    var name = tensor.split(separator: "/").last.map(String.init) ?? ""
    if name.hasPrefix(servingPrefix) { name.removeFirst(servingPrefix.count) }
    if let colon = name.lastIndex(of: ":"), name[name.index(after: colon)...].allSatisfy(\.isNumber)
    {
      name = String(name[..<colon])
    }
    let saysNothing = meaningless.contains { name.hasPrefix($0) } || name.isEmpty
    return saysNothing ? otherwise : name
  }

  private static let servingPrefix = "serving_default_"
  private static let meaningless = ["StatefulPartitionedCall", "PartitionedCall", "Identity"]
}
