import Foundation
import TensorIOImage
import Testing

@testable import TensorIOCore

@Suite struct LayerValueConvertibleTests {
  static let values: [(value: LayerValue, expected: Numbers)] = [
    ((1.5 as Float).layerValue, Numbers(.floats([1.5]), shape: [])),
    (1.5.layerValue, Numbers(.doubles([1.5]), shape: [])),
    (7.layerValue, Numbers(.integers([7]), shape: [])),
    (true.layerValue, Numbers(.booleans([true]), shape: [])),
    ((200 as UInt8).layerValue, Numbers(.integers([200]), shape: [])),
    (Int64.min.layerValue, Numbers(.integers([.min]), shape: [])),
    (([1, 2] as [Float]).layerValue, Numbers(.floats([1, 2]))),
    (([1, 2] as [Double]).layerValue, Numbers(.doubles([1, 2]))),
    (([1, 2] as [Int8]).layerValue, Numbers(.integers([1, 2]))),
    (([1, 2] as [Int16]).layerValue, Numbers(.integers([1, 2]))),
    ([true, false].layerValue, Numbers(.booleans([true, false]))),
    ([Int]().layerValue, Numbers(.integers([]))),
    ([[1, 2], [3, 4]].layerValue, Numbers(.integers([1, 2, 3, 4]), shape: [2, 2])),
    ([[[1.0], [2.0]]].layerValue, Numbers(.doubles([1, 2]), shape: [1, 2, 1])),
    ([[Float](), []].layerValue, Numbers(.floats([]), shape: [2, 0])),
    ([1.layerValue, 2.5.layerValue].layerValue, Numbers(.doubles([1, 2.5]))),
    ([true.layerValue, 2.layerValue].layerValue, Numbers(.doubles([1, 2]))),
    ([(1.5 as Float).layerValue, 2.5.layerValue].layerValue, Numbers(.doubles([1.5, 2.5]))),
    ([Int64.max.layerValue, 0.layerValue].layerValue, Numbers(.integers([.max, 0]))),
    ([true.layerValue, false.layerValue].layerValue, Numbers(.booleans([true, false]))),
  ]

  @Test(arguments: values)
  func `Numbers keep their type, order and shape`(value: LayerValue, expected: Numbers) {
    #expect(value == .numbers(expected))
  }

  @Test func `Rows of different lengths remain a list`() {
    #expect([[1], [2, 3]].layerValue == .list([[1].layerValue, [2, 3].layerValue]))
    #expect([[Int]]().layerValue == .list([]))
    #expect([1.layerValue, "x".layerValue].layerValue == .list([1.layerValue, "x".layerValue]))
  }

  @Test func `Strings, data and images become the corresponding values`() throws {
    #expect("é".layerValue == .strings(Strings(bytes: [[0xC3, 0xA9]])))
    #expect(["a", ""].layerValue == .strings(Strings(bytes: [[97], []])))
    #expect(Data([1, 2]).layerValue == .bytes([1, 2]))
    let image = try ImageBuffer.filled(width: 1, height: 1, red: 1, green: 2, blue: 3)
    #expect(image.layerValue == .image(image))
  }

  @Test func `Literals can mix values of the same and of different types`() {
    #expect([1, 2.5] as ModelInput == .value(Numbers(.doubles([1, 2.5])).layerValue))
    #expect([1, 2] as ModelInput == .value([1, 2].layerValue))
    #expect([8, [10, 10]] as ModelInput == .value(.list([8.layerValue, [10, 10].layerValue])))
    #expect(
      ["a": 1, "b": [1.5], "c": "x"] as ModelInput
        == .named(["a": 1.layerValue, "b": [1.5].layerValue, "c": "x".layerValue]))
    #expect(-3 as ModelInput == .value((-3 as Int64).layerValue))
    #expect(2.5 as ModelInput == .value(2.5.layerValue))
    #expect([:] as ModelInput == .named([:]))
    #expect([] as ModelInput == .value(.list([])))
  }

  @Test func `A dictionary converts to named values`() {
    #expect(["a": [1, 2]].modelInput == .named(["a": [1, 2].layerValue]))
    #expect(["a": LayerValue.number(1)].modelInput == .named(["a": .number(1)]))
  }
}
