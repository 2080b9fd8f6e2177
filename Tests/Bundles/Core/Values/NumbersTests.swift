import Testing

@testable import TensorIOCore

@Suite struct NumbersTests {
  private let kinds: [Numbers.Elements] = [
    .floats([1, 0]), .doubles([1, 0]), .integers([1, 0]), .booleans([true, false]),
  ]

  @Test func `All element types are converted to each other`() {
    for elements in kinds {
      let numbers = Numbers(elements)
      #expect(numbers.shape == [2])
      #expect(numbers.count == 2)
      #expect([numbers[0], numbers[1]] == [1, 0])
      #expect(numbers.floats == [1, 0])
      #expect(numbers.doubles == [1, 0])
      #expect(numbers.integers == [1, 0])
    }
  }

  @Test(
    arguments: [
      .floats([0.5]), .floats([.nan]), .floats([0x1p63]), .doubles([1e300]), .doubles([-.infinity]),
    ] as [Numbers.Elements])
  func `Numbers that are not integers are not converted to integers`(elements: Numbers.Elements) {
    #expect(Numbers(elements).integers == nil)
  }

  @Test func `Rows are the slices along the first dimension`() {
    for elements in kinds {
      let rows = Numbers(elements, shape: [2, 1]).rows
      #expect(rows.map(\.shape) == [[1], [1]])
      #expect(rows.map(\.doubles) == [[1], [0]])
    }
    #expect(Numbers(.floats([]), shape: [2, 0]).rows.map(\.shape) == [[0], [0]])
    #expect(Numbers(.floats([]), shape: [0, 2]).rows.isEmpty)
    #expect(Numbers(.floats([1]), shape: []).rows.isEmpty)
  }
}
