import TensorIOImage
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

@Suite struct LayerValueReadableTests {
  private let scores = LayerValue.classification(
    Classification(labels: ["a", "b"], scores: [0.25, 0.75]))

  @Test func `A number is read as any type that can represent it`() throws {
    #expect(try Double(2.5.layerValue) == 2.5)
    #expect(try Float([2.5].layerValue) == 2.5)
    #expect(try Int(7.layerValue) == 7)
    #expect(try Int(7.0.layerValue) == 7)
    #expect(try Int([[Int.max]].layerValue) == .max)
    #expect(try Int64(Int64.max.layerValue) == .max)
    #expect(try UInt8(255.layerValue) == 255)
    #expect(try Bool(true.layerValue))
    #expect(try String("é".layerValue) == "é")
  }

  @Test func `Numbers are read in order`() throws {
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

  @Test func `Images and classifications are read as their types`() throws {
    let image = try ImageBuffer.filled(width: 2, height: 1, red: 1, green: 2, blue: 3)
    #expect(try ImageBuffer(.image(image)) == image)
    #expect(try [ImageBuffer]([image, image].layerValue) == [image, image])
    #expect(try Classification(scores).scores == [0.25, 0.75])
    #expect(try scores.value(as: Classification.self).labels == ["a", "b"])
  }

  @Test func `Invalid UTF-8 is read with replacement characters`() throws {
    #expect(try String(.strings(Strings(bytes: [[0x61, 0xFF]]))) == "a\u{FFFD}")
  }

  private func readingError<Value: LayerValueReadable>(
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

  @Test func `Reading a value as another type is an error`() {
    let two = [1, 2].layerValue
    #expect(readingError(two, as: Double.self) == mismatch("a number", "2 numbers"))
    #expect(readingError(two, as: Float.self) == mismatch("a number", "2 numbers"))
    #expect(readingError(scores, as: Double.self) == mismatch("a number", "a classification"))
    #expect(readingError("x".layerValue, as: Double.self) == mismatch("a number", "a string"))
    #expect(readingError(two, as: Int64.self) == mismatch("an integer", "2 numbers"))
    #expect(readingError(two, as: UInt8.self) == mismatch("a byte", "2 numbers"))
    #expect(readingError(2.5.layerValue, as: Int.self) == mismatch("an integer", "a number"))
    #expect(readingError(Double.nan.layerValue, as: Int.self) == mismatch("an integer", "a number"))
    #expect(readingError(1e300.layerValue, as: Int.self) == mismatch("an integer", "a number"))
    #expect(readingError(1.layerValue, as: Bool.self) == mismatch("a Boolean", "a number"))
    #expect(readingError([0.5, 1].layerValue, as: [Int].self) == mismatch("integers", "2 numbers"))
    #expect(readingError([256, 1].layerValue, as: [UInt8].self) == mismatch("bytes", "2 numbers"))
    #expect(readingError(.list([two]), as: Float.self) == mismatch("a number", "a list of 1 value"))
    #expect(
      readingError(.list(["x".layerValue]), as: [Float].self) == mismatch("numbers", "a string"))
    #expect(readingError(.bytes([1]), as: [Double].self) == mismatch("numbers", "1 bytes"))
    #expect(readingError(two, as: [Bool].self) == mismatch("Booleans", "2 numbers"))
    #expect(readingError(two, as: [String].self) == mismatch("strings", "2 numbers"))
    #expect(
      readingError(["a", "b"].layerValue, as: String.self) == mismatch("a string", "2 strings"))
    #expect(readingError(two, as: ImageBuffer.self) == mismatch("an image", "2 numbers"))
    #expect(
      readingError(two, as: Classification.self) == mismatch("labels with scores", "2 numbers"))
  }

  @Test func `A list with one value per item is read as an array`() throws {
    let list = LayerValue.list([[1, 2].layerValue, [3].layerValue])
    #expect(try [Float](list) == [1, 2, 3])
    let rows = LayerValue.list([[[1, 2]].layerValue, [[3, 4]].layerValue])
    #expect(try [[Int]](rows) == [[1, 2], [3, 4]])
  }

  @Test func `An unknown output is an error that lists the outputs`() {
    let output = ModelOutput(layers: [.init(name: "a", value: .number(1))])
    let error = #expect(throws: ModelError.self) { try output["b"] }
    #expect(error == ModelError(.output, .unknownOutput("b", known: ["a"])))
    #expect(output.names == ["a"])
  }
}
