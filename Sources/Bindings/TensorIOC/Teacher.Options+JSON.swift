import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOTeaching

extension Teacher.Options {
  /// Parses a JSON object; `nil` selects the defaults.
  ///
  /// - Throws: A `ModelError` that names the first option that is unknown or has an invalid value.
  init(json text: String?) throws(ModelError) {
    var options = Self()
    try JSONOption.read(text) { (option) throws(ModelError) in
      switch option.name {
      case "classes":
        let labels = option.value.elements?.map(\.string)
        guard let labels, labels.allSatisfy({ $0 != nil }) else {
          throw option.invalid("a list of strings")
        }
        options.classes = labels.compactMap(\.self)
      case "unknown_rate":
        let rate = try option.fraction
        options.unknownRate = rate == 0 ? nil : rate
      case "regularization":
        guard let number = option.value.double, number > 0, number.isFinite else {
          throw option.invalid("a number greater than 0")
        }
        options.regularization = number
      case "label_column": options.labelColumn = try option.text
      case "cache":
        let folder = try option.text
        options.cacheFolder = folder.isEmpty ? nil : folder
      default: return false
      }
      return true
    }
    self = options
  }
}
