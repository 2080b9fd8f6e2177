import Foundation
import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

@Suite(.hangGuard) struct ModelTests {
  @Test func `All ways to run a model return the same output`() async throws {
    let model = try TestBundle().open(.pair)
    let expected = ModelOutput(
      layers: [
        .init(name: "y", value: .numbers(Numbers(.floats([1.5, -2]), shape: [1, 2])))
      ], imageGeometries: [nil])
    var timings = Timings()
    #expect(try model.run([1.5, -2]) == expected)
    #expect(try model.run([1.5, -2] as [Float]) == expected)
    #expect(try model.run(["x": [1.5, -2]]) == expected)
    #expect(try model.run(Data(([1.5, -2] as [Float]).rawBytes)) == expected)
    #expect(try model.run(["x": [1.5, -2]], timings: &timings) == expected)
    #expect(try model.run([1.5, -2] as [Double], timings: &timings) == expected)
    #expect(try await model.submit(["x": [1.5, -2]]) == expected)
    #expect(try await model.submit([1.5, -2] as [Float]) == expected)
    #expect(try await model.submit(Data(([1.5, -2] as [Float]).rawBytes)) == expected)
  }

  @Test func `Timings cover one run, and the stages add up to no more than the total`() throws {
    let model = try TestBundle().open(.pair)
    var timings = Timings()
    timings.total = .seconds(1000)
    _ = try model.run([1, 2], timings: &timings)
    #expect(timings.total > .zero && timings.total < .seconds(1000))
    #expect(
      timings.image + timings.input + timings.run + timings.output <= timings.total)
    #expect(throws: ModelError.self) { try model.run([1], timings: &timings) }
    #expect(timings.run == .zero)
  }

  @Test func `An output with labels is a classification`() throws {
    let bundle = try TestBundle(
      outputs: #"{"name": "y", "type": "array", "shape": [2], "labels": "labels.txt"}"#,
      labels: "cat\ndog\n")
    let output = try bundle.open(.pair).run([0.25, 0.75])
    #expect(try output["y"].top(1).map(\.label) == ["dog"])
    #expect(try output["y"].classification?.scoresByLabel == ["cat": 0.25, "dog": 0.75])
  }

  @Test func `A model exposes its bundle, layers and signature`() throws {
    let model = try TestBundle().open(.pair)
    #expect(model.inputs.map(\.name) == ["x"])
    #expect(model.outputs.map(\.name) == ["y"])
    #expect(model.signature?.name == "fake")
    #expect(model.bundle.version == "3")
    #expect(model.warnings.isEmpty)
  }

  @Test func `A placeholder accepts any input and returns an empty output`() async throws {
    let expectedError = ModelError(.runtime, .modelRejected(detail: "never asked"))
    let model = try TestBundle(isPlaceholder: true).open(
      on: FakeBackend(failingWith: expectedError))
    var timings = Timings()
    #expect(try model.run(["nothing": 1]) == .empty)
    #expect(try model.run([1, 2, 3], timings: &timings) == .empty)
    #expect(try await model.submit("text") == .empty)
    #expect(model.signature == nil)
    #expect(model.inputs.map(\.name) == ["x"])
  }

  @Test func `A tensor with a dynamic batch is resized to one item`() throws {
    let tensor = TensorInfo(name: "t", elementType: .float32, shape: [-1, 2])
    let model = try TestBundle(inputs: #"{"name": "x", "type": "array", "shape": [-1, 2]}"#)
      .open(.identity(tensor))
    #expect(try [Float](model.run([3, 4])["y"]) == [3, 4])
  }

  static let imageInput = #"{"name": "x", "type": "image", "shape": [1, 2, 3], "format": "RGB"}"#

  @Test func `Options override how an image is fitted`() throws {
    let tensor = TensorInfo(name: "t", elementType: .uint8, shape: [1, 1, 2, 3])
    let bundle = try TestBundle(
      inputs: Self.imageInput, outputs: #"{"name": "y", "type": "array", "shape": [6]}"#,
      model: #""file": "model.tflite", "quantized": true, "backend": "tflite""#)
    let white = try ImageBuffer.filled(width: 1, height: 1, red: 255, green: 255, blue: 255)
    let cropped = try bundle.open(.identity(tensor)).run(white)
    #expect(try [UInt8](cropped["y"]) == [UInt8](repeating: 255, count: 6))
    let options = OpeningOptions(threads: 1, fit: .letterbox)
    let boxed = try bundle.open(.identity(tensor), options: options).run(white)
    #expect(try [UInt8](boxed["y"]) == [255, 255, 255, 0, 0, 0])
    #expect(boxed.imageGeometries.first??.imageWidth == 1)
  }

  @Test func `An unreadable image is reported by run and submit`() async throws {
    let tensor = TensorInfo(name: "t", elementType: .uint8, shape: [1, 2, 3])
    let model = try TestBundle(
      inputs: Self.imageInput, outputs: #"{"name": "y", "type": "array", "shape": [6]}"#
    ).open(.identity(tensor))
    let error = ModelError(.input, .image(ImageError(.unknownFormat)), layer: "x")
    #expect(throws: error) { try model.run(Data("no picture".utf8)) }
    await #expect(throws: error) { try await model.submit(Data("no picture".utf8)) }
    await #expect(throws: error) {
      try await model.submit(["x": Data("no picture".utf8)] as ModelInput)
    }
  }

  @Test func `Sessions run in parallel, and warnings are available`() async throws {
    let fake = FakeModel.identity(TensorInfo(name: "t", elementType: .uint8, shape: [2]))
    let model = try TestBundle().open(fake, options: .init(threads: 1, sessions: 2))
    #expect(model.warnings.map(\.code) == ["quantized-flag-mismatch", "quantized-flag-mismatch"])
    try await withThrowingTaskGroup(of: [Int].self) { group in
      for number in 0..<100 {
        group.addTask { try await [Int](model.submit([number, 255 - number])["y"]) }
      }
      for try await pair in group { #expect(pair.reduce(0, +) == 255) }
    }
    #expect(fake.sessionCount.value <= 2)
  }
}
