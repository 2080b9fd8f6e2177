import TensorIOBundle
import Testing

@testable import TensorIOCore

@Suite struct ElementVisitorTests {
  private struct Size: ElementVisitor {
    func visit<Element: TensorNumber>(_ type: Element.Type) -> Int { MemoryLayout<Element>.stride }
  }

  @Test(arguments: ElementType.allCases)
  func `A visitor receives the Swift type of the elements`(type: ElementType) {
    #expect(type.visit(Size()) == type.byteCount)
    #expect(type.swiftType?.elementType == (type == .string ? nil : type))
  }

  @Test(arguments: ElementType.allCases)
  func `Elements are copied from memory in their own type`(type: ElementType) throws {
    let count = type.byteCount == nil ? 0 : 3
    let bytes = [UInt8](repeating: 0, count: count * (type.byteCount ?? 0))
    let storage = TensorStorage(bytes, type)
    #expect(storage.elementType == type)
    #expect(storage.count == count)
    #expect(storage.floats == [Float](repeating: 0, count: count))
    #expect(storage.slice(0..<count) == storage)
  }

  @Test func `Integer types have a range`() {
    #expect(ElementType.uint8.integerRange == 0...255)
    #expect(ElementType.int16.integerRange == -32768...32767)
    #expect(ElementType.int64.integerRange == -0x1p63...0x1p63)
    for type in ElementType.allCases { #expect((type.integerRange != nil) == type.isInteger) }
  }

  @Test func `Half-precision numbers convert like the number that they represent`() {
    #expect(HalfFloat(2.5).float64 == 2.5)
    #expect(HalfFloat(-3).exactInteger(Int8.self) == -3)
    #expect(HalfFloat(2.5).exactInteger(Int8.self) == nil)
    #expect(HalfFloat(2.5).hasFraction)
    #expect(!HalfFloat(.infinity).hasFraction)
    #expect(HalfFloat(0.1).description == "0.0999755859375")
  }
}
