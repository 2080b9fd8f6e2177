import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOTeaching

extension Teacher.Options {
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
      case "classes":
        guard let elements = value.elements else { throw Self.invalid(name, "a list of strings") }
        var labels: [String] = []
        for element in elements {
          guard let label = element.string else { throw Self.invalid(name, "a list of strings") }
          labels.append(label)
        }
        classes = labels
      case "unknown_rate":
        guard let rate = value.double, (0..<1).contains(rate) else {
          throw Self.invalid(name, "a number from 0 to less than 1")
        }
        unknownRate = rate == 0 ? nil : rate
      case "regularization":
        guard let number = value.double, number > 0, number.isFinite else {
          throw Self.invalid(name, "a number greater than 0")
        }
        regularization = number
      case "label_column":
        guard let column = value.string else { throw Self.invalid(name, "a string") }
        labelColumn = column
      case "cache":
        guard let folder = value.string else { throw Self.invalid(name, "a string") }
        cacheFolder = folder.isEmpty ? nil : folder
      default: throw ModelError(.input, .invalidValue("unknown option '\(name, as: "name")'"))
      }
    }
  }

  private static func invalid(_ name: String, _ expected: String) -> ModelError {
    ModelError(.input, .invalidValue("'\(name, as: "name")' must be \(expected, as: "expected")"))
  }
}
