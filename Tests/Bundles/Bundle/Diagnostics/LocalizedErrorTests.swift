import Foundation
import TensorIOBundle
import TensorIOImage
import Testing

@Suite struct LocalizedErrorTests {
  @Test func `The localized description of a model error is its description`() {
    let error = ModelError(.input, .wrongCount(expected: 10, actual: 3), layer: "features")
    #expect((error as any Error).localizedDescription == error.description)
    #expect(error.description == "layer 'features': expected 10 values, got 3")
  }

  @Test func `The localized description of an image error is its description`() {
    let error = ImageError(.unknownFormat, file: "cat.txt")
    #expect((error as any Error).localizedDescription == error.description)
    #expect(error.description.contains("cat.txt"))
  }
}
