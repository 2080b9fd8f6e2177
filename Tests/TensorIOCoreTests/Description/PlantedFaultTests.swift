import Testing
@testable import TensorIOBundle
@testable import TensorIOJSON

/// Puts a value of a type that fits nowhere in the place of every value of every good description,
/// one at a time, and sees that exactly that place is reported.
@Suite struct PlantedFaultTests {
  @Test(arguments: DescriptionReaderTests.valid)
  func `A value of the wrong type is reported where it stands`(fixture: DescriptionFixture) throws {
    let bytes = try fixture.bytes()
    let document = try #require(DescriptionReader().read(bytes).document)
    var planted = 0
    for index in document.tape.entries.indices {
      let node = document.root.node(at: index)
      guard let fault = Self.fault(for: node, in: document) else { continue }
      var changed = bytes
      changed.replaceSubrange(node.range, with: fault.utf8)
      let errors = DescriptionReader().read(changed).errors
      let first = errors.first { $0.path == node.pointer }
      #expect(first?.line == node.position.line, "\(node.pointer)")
      #expect(first?.column == node.position.column, "\(node.pointer)")
      #expect(errors.first?.path == node.pointer, "\(node.pointer)")
      planted += 1
    }
    #expect(planted > 20)
  }

  /// What no value of the format can be in a place: an object in place of anything but an object,
  /// and a number in place of that. Keys are no values, and an application's own may be anything.
  private static func fault(for node: JSONNode, in document: JSONDocument) -> String? {
    let isKey = document.node(at: node.pointer)?.index != node.index
    let unknown = ["/homepage", "/model/quantised", "/inputs/1/dtpye"].contains(node.pointer)
    if isKey || unknown || isFree(node.pointer) { return nil }
    let mayBeObject = node.kind == .object || node.pointer.hasSuffix("/labels")
    return mayBeObject ? "7" : "{}"
  }

  /// Whether anything may stand in a place: an application's own options, a task's settings, the
  /// values of an example.
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
