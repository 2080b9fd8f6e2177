import TensorIOBundle
import TensorIOCore
import TensorIOJSON

/// A member of the JSON object with which a C function takes options.
struct JSONOption {
  /// The name of the option.
  let name: String
  /// The value.
  let value: JSONNode

  /// Reads the members of an object; `nil` has none.
  ///
  /// - Parameters:
  ///   - text: The object.
  ///   - read: Reads one member, and returns whether there is such an option.
  /// - Throws: A `ModelError` that names the first option that is unknown or has an invalid value.
  static func read(
    _ text: String?, _ read: (JSONOption) throws(ModelError) -> Bool
  ) throws(ModelError) {
    guard let text else { return }
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(parsing: Array(text.utf8))
    } catch {
      throw ModelError(.input, .invalidValue("the options are not valid JSON: \(error)"))
    }
    guard let members = document.root.members else {
      throw ModelError(.input, .invalidValue("the options must be a JSON object"))
    }
    for member in members {
      guard try read(JSONOption(name: member.name, value: member.value)) else {
        throw ModelError(.input, .invalidValue("unknown option '\(member.name, as: "name")'"))
      }
    }
  }

  /// Returns the error for another value than the expected one.
  func invalid(_ expected: String) -> ModelError {
    ModelError(.input, .invalidValue("'\(name, as: "name")' must be \(expected, as: "expected")"))
  }

  /// The text.
  var text: String {
    get throws(ModelError) {
      guard let text = value.string else { throw invalid("a string") }
      return text
    }
  }

  /// Whether the option is on.
  var flag: Bool {
    get throws(ModelError) {
      guard let flag = value.bool else { throw invalid("true or false") }
      return flag
    }
  }

  /// Returns an integer.
  func count(_ range: ClosedRange<Int>) throws(ModelError) -> Int {
    guard let number = value.int, let count = Int(exactly: number), range.contains(count) else {
      throw invalid(
        range.upperBound == .max
          ? "an integer of at least \(range.lowerBound)"
          : "an integer from \(range.lowerBound) to \(range.upperBound)")
    }
    return count
  }

  /// The number, from 0 to less than 1.
  var fraction: Double {
    get throws(ModelError) {
      guard let number = value.double, (0..<1).contains(number) else {
        throw invalid("a number from 0 to less than 1")
      }
      return number
    }
  }

  /// Returns the case that a text names.
  func choice<Choice: RawRepresentable<String> & CaseIterable>(
    of type: Choice.Type
  ) throws(ModelError) -> Choice {
    guard let choice = Choice(rawValue: try text) else {
      throw invalid("one of " + Choice.allCases.map(\.rawValue).joined(separator: ", "))
    }
    return choice
  }
}
