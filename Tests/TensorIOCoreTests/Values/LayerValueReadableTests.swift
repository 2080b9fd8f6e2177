import TensorIOImage
import Testing
@testable import TensorIOBundle
@testable import TensorIOCore

@Suite struct LayerValueReadableTests {
  private let scores = LayerValue.classification(
    Classification(labels: ["a", "b"], scores: [0.25, 0.75]))

  @Test func `one number is read as any type that holds it`() throws {
    #expect(try Double(2.5.layerValue) == 2.5)
    #expect(try Float([2.5].layerValue) == 2.5)
    #expect(try Int(7.layerValue) == 7)
    #expect(try Int(7.0.layerValue) == 7)
    #expect(try Int([[Int.max]].layerValue) == .max)
    #expect(try Bool(true.layerValue))
    #expect(try String("é".layerValue) == "é")
  }

  @Test func `many numbers are read in order`() throws {
    #expect(try [Float]([[1, 2], [3, 4]].layerValue) == [1, 2, 3, 4])
    #expect(try [Double](scores) == [0.25, 0.75])
    #expect(try [Int]([1.0, -2.0].layerValue) == [1, -2])
    #expect(try [Int64]([Int64.max].layerValue) == [.max])
    #expect(try [UInt8]([0, 255].layerValue) == [0, 255])
    #expect(try [UInt8](LayerValue.bytes([1, 2])) == [1, 2])
    #expect(try [UInt8]([Float]().layerValue) == [])
    #expect(try [Bool]([true, false].layerValue) == [true, false])
    #expect(try [String](["a", ""].layerValue) == ["a", ""])
    #expect(try [Float]([Float]().layerValue) == [])
  }

  @Test func `pictures and classifications are read as such`() throws {
    let image = try ImageBuffer.filled(width: 2, height: 1, red: 1, green: 2, blue: 3)
    #expect(try ImageBuffer(.image(image)) == image)
    #expect(try Classification(scores).scores == [0.25, 0.75])
    #expect(try scores.value(as: Classification.self).labels == ["a", "b"])
  }

  @Test func `text that is no UTF-8 is read with marks in its place`() throws {
    #expect(try String(.strings([[0x61, 0xFF]])) == "a\u{FFFD}")
  }

  private func refusal<Value: LayerValueReadable>(
    _ value: LayerValue, as type: Value.Type
  ) -> ModelError? {
    do throws(ModelError) {
      _ = try Value(value)
      return nil
    } catch {
      return error
    }
  }

  private func mismatch(_ expected: String, _ actual: String) -> ModelError {
    ModelError(.output, .wrongType(expected: expected, actual: actual))
  }

  @Test func `what a value is not, it is not read as`() {
    let two = [1, 2].layerValue
    #expect(refusal(two, as: Double.self) == mismatch("a number", "2 numbers"))
    #expect(refusal(two, as: Float.self) == mismatch("a number", "2 numbers"))
    #expect(refusal(scores, as: Double.self) == mismatch("a number", "a classification"))
    #expect(refusal("x".layerValue, as: Double.self) == mismatch("a number", "a text"))
    #expect(refusal(2.5.layerValue, as: Int.self) == mismatch("an integer", "a number"))
    #expect(refusal(Double.nan.layerValue, as: Int.self) == mismatch("an integer", "a number"))
    #expect(refusal(1e300.layerValue, as: Int.self) == mismatch("an integer", "a number"))
    #expect(refusal(1.layerValue, as: Bool.self) == mismatch("a truth value", "a number"))
    #expect(refusal([0.5, 1].layerValue, as: [Int].self) == mismatch("integers", "2 numbers"))
    #expect(refusal([256, 1].layerValue, as: [UInt8].self) == mismatch("bytes", "2 numbers"))
    #expect(refusal(.list([two]), as: Float.self) == mismatch("a number", "a list of 1"))
    #expect(refusal(.list(["x".layerValue]), as: [Float].self) == mismatch("numbers", "a text"))
    #expect(refusal(.bytes([1]), as: [Double].self) == mismatch("numbers", "1 bytes"))
    #expect(refusal(two, as: [Bool].self) == mismatch("truth values", "2 numbers"))
    #expect(refusal(two, as: [String].self) == mismatch("texts", "2 numbers"))
    #expect(refusal(["a", "b"].layerValue, as: String.self) == mismatch("a text", "2 texts"))
    #expect(refusal(two, as: ImageBuffer.self) == mismatch("a picture", "2 numbers"))
    #expect(
      refusal(two, as: Classification.self) == mismatch("labels with scores", "2 numbers"))
  }

  @Test func `a list with a value for each item is read as all of them`() throws {
    let list = LayerValue.list([[1, 2].layerValue, [3].layerValue])
    #expect(try [Float](list) == [1, 2, 3])
    let rows = LayerValue.list([[[1, 2]].layerValue, [[3, 4]].layerValue])
    #expect(try [[Int]](rows) == [[1, 2], [3, 4]])
  }

  @Test func `an output that is not there is refused with those that are`() {
    let output = ModelOutput(layers: [.init(name: "a", value: .number(1))])
    let error = #expect(throws: ModelError.self) { try output["b"] }
    #expect(error == ModelError(.output, .unknownOutput("b", known: ["a"])))
    #expect(output.names == ["a"])
  }
}
