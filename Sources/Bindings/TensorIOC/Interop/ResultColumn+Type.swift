import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOTasks

extension ResultColumn {
  /// Writes the type of the entries as JSON: the name of a type, a list with the type of the elements, or the types of members.
  func writeType(to writer: inout JSONWriter) {
    switch self {
    case .numbers(let numbers): writer.value(numbers.tensor.elementType.rawValue)
    case .texts: writer.value("string")
    case .images: writer.value("image")
    case .lists(ends: _, of: let elements): writer.array { elements.writeType(to: &$0) }
    case .records(let members):
      writer.object { writer in
        for member in members {
          writer.key(member.name)
          member.column.writeType(to: &writer)
        }
      }
    case .optionals(isPresent: _, of: let values): values.writeType(to: &writer)
    }
  }
}
