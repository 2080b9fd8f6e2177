import TensorIOTasks
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOJSON

/// Replaces each value of each valid description by a value of the wrong type, one at a time, and
/// checks the location of the error.
@Suite(.ownThreads) struct WrongTypeTests {
  @Test(arguments: DescriptionFixture.valid)
  func `A value of the wrong type is reported at its location`(fixture: DescriptionFixture) throws {
    let bytes = try fixture.bytes()
    let document = try #require(DescriptionReader.standard.read(bytes).document)
    var count = 0
    for index in document.tape.entries.indices {
      let node = document.root.node(at: index)
      guard let replacement = Self.replacement(for: node, in: document) else { continue }
      var changed = bytes
      changed.replaceSubrange(node.range, with: replacement.utf8)
      let errors = DescriptionReader.standard.read(changed).errors
      let first = errors.first { $0.path == node.pointer }
      #expect(first?.line == node.position.line, "\(node.pointer)")
      #expect(first?.column == node.position.column, "\(node.pointer)")
      #expect(errors.first?.path == node.pointer, "\(node.pointer)")
      count += 1
    }
    #expect(count > 20)
  }

  /// Returns a value of the wrong type: a number for an object, an object for anything else; `nil`
  /// for keys and application-defined values.
  private static func replacement(for node: JSONNode, in document: JSONDocument) -> String? {
    let isKey = document.node(at: node.pointer)?.index != node.index
    let unknown = ["/homepage", "/model/quantised", "/inputs/1/dtpye"].contains(node.pointer)
    if isKey || unknown || isFree(node.pointer) { return nil }
    let mayBeObject =
      node.kind == .object || node.pointer.hasSuffix("/labels")
      || node.pointer.hasSuffix("/calibration")
    return mayBeObject ? "7" : "{}"
  }

  /// Whether any value is allowed at a pointer: application-defined options, settings of tasks, and
  /// values of examples.
  private static func isFree(_ pointer: String) -> Bool {
    let parts = pointer.split(separator: "/")
    return switch parts.first {
    case "options": parts.count > 1 && parts[1] == "theme"
    case "task": parts.count > 1 && parts[1] != "type"
    case "examples":
      parts.count > (parts.dropFirst(2).first == "output" ? 3 : 2) && parts[2] != "tolerance"
    default: false
    }
  }
}
