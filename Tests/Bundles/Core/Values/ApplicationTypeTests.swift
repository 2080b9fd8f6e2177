import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

/// An application's own types as inputs and outputs.
@Suite struct ApplicationTypeTests {
  private struct House: LayerValueConvertible, LayerValueReadable, Equatable {
    var area: Float
    var rooms: Int

    var layerValue: LayerValue { [area, Float(rooms)].layerValue }

    init(area: Float, rooms: Int) {
      (self.area, self.rooms) = (area, rooms)
    }

    init(_ value: LayerValue) throws(ModelError) {
      let numbers = try [Float](value)
      guard numbers.count == 2 else {
        throw ModelError(.output, .wrongCount(expected: 2, actual: numbers.count))
      }
      self.init(area: numbers[0], rooms: Int(numbers[1]))
    }
  }

  private struct Street: ModelInputConvertible {
    var left: House
    var right: House

    var modelInput: ModelInput { ["left": left, "right": right] }
  }

  private let layer = LayerRoundTrip.array([2], over: .float32)

  @Test func `An application's type can be used as input and output`() throws {
    let house = House(area: 120.5, rooms: 4)
    let bytes = try layer.encoded(house.layerValue)
    #expect(bytes.values(of: Float.self) == [120.5, 4])
    #expect(try layer.decoded(bytes).value(as: House.self) == house)
    let read: House = try layer.decoded(bytes).value()
    #expect(read == house)
  }

  @Test func `Arrays of an application's type can be used as input and output`() throws {
    let houses = [House(area: 1.5, rooms: 2), House(area: 3, rooms: 4)]
    #expect(houses.layerValue == ([[1.5, 2], [3, 4]] as [[Float]]).layerValue)
    #expect(try [House](.list(houses.map(\.layerValue))) == houses)
    #expect(try [House](houses[0].layerValue) == [houses[0]])
  }

  @Test func `An error of the application's type reaches the caller`() {
    let error = #expect(throws: ModelError.self) { try House([1, 2, 3].layerValue) }
    #expect(error == ModelError(.output, .wrongCount(expected: 2, actual: 3)))
  }

  @Test func `An application's type can provide all inputs`() {
    let street = Street(left: House(area: 1, rooms: 2), right: House(area: 3, rooms: 4))
    #expect(
      street.modelInput
        == .named([
          "left": ([1, 2] as [Float]).layerValue, "right": ([3, 4] as [Float]).layerValue,
        ]))
  }

  @Test func `An application's type can be mixed with numbers in a literal`() {
    let input: ModelInput = ["house": House(area: 1, rooms: 2), "year": 1890]
    #expect(
      input
        == .named(["house": ([1, 2] as [Float]).layerValue, "year": 1890.layerValue]))
  }
}
