import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOTeaching

extension BackboneRefinement.Options {
  /// Parses a JSON object; `nil` selects the defaults.
  ///
  /// - Throws: A `ModelError` that names the first option that is unknown or has an invalid value.
  init(json text: String?) throws(ModelError) {
    var options = Self()
    try JSONOption.read(text) { (option) throws(ModelError) in
      switch option.name {
      case "epochs": options.maxEpochs = try option.count(1 ... .max)
      case "patience": options.patience = try option.count(1 ... .max)
      case "batch_size": options.batchSize = try option.count(1 ... .max)
      case "seed": options.seed = UInt64(try option.count(0 ... .max))
      case "augment":
        let found = option.value.elements?.map { $0.string.flatMap(Augmentation.init(rawValue:)) }
        guard let found, found.allSatisfy({ $0 != nil }) else {
          let known = Augmentation.allCases.map(\.rawValue).joined(separator: ", ")
          throw option.invalid("a list of any of \(known)")
        }
        options.augmentations = Set(found.compactMap(\.self))
      default: return false
      }
      return true
    }
    self = options
  }
}
