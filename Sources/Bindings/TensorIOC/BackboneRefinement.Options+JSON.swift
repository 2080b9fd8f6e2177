import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOTeaching

extension BackboneRefinement.Options {
  /// Parses a JSON object; `nil` selects the defaults.
  ///
  /// - Throws: The message for an option that is unknown or has an invalid value.
  init(json text: String?) throws(ModelError) {
    self.init()
    guard let text else { return }
    guard let document = try? JSONDocument(parsing: Array(text.utf8)),
      let members = document.root.members
    else { throw ModelError(.input, .invalidValue("the options must be a JSON object")) }
    for member in members {
      let (name, value) = (member.name, member.value)
      switch name {
      case "epochs": maxEpochs = try Self.count(name, value, least: 1)
      case "patience": patience = try Self.count(name, value, least: 1)
      case "batch_size": batchSize = try Self.count(name, value, least: 1)
      case "seed": seed = UInt64(try Self.count(name, value, least: 0))
      case "augment": augmentations = try Self.augmentations(name, value)
      default: throw ModelError(.input, .invalidValue("unknown option '\(name, as: "name")'"))
      }
    }
  }

  private static func count(
    _ name: String, _ value: JSONNode, least: Int
  ) throws(ModelError) -> Int {
    guard let number = value.int, number >= least, let count = Int(exactly: number) else {
      throw ModelError(
        .input,
        .invalidValue(
          "'\(name, as: "name")' must be an integer of at least \(least)"))
    }
    return count
  }

  private static func augmentations(
    _ name: String, _ value: JSONNode
  ) throws(ModelError) -> Set<Augmentation> {
    let found = value.elements?.map { $0.string.flatMap(Augmentation.init(rawValue:)) }
    guard let found, found.allSatisfy({ $0 != nil }) else {
      let known = Augmentation.allCases.map(\.rawValue).joined(separator: ", ")
      throw ModelError(
        .input,
        .invalidValue(
          "'\(name, as: "name")' must be a list of any of \(known, as: "known")"))
    }
    return Set(found.compactMap(\.self))
  }
}
