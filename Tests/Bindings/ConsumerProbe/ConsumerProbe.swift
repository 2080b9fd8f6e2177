import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOImage
import Testing

/// An application that imports only TensorIO.
@Suite struct ConsumerProbe {
  @Test func `Three lines run a model on an image`() throws {
    let model = try Model(at: Bundles.digits)
    let classes = try model.run(ImageBuffer(contentsOf: Bundles.digits + "/samples/8-1.png"))
      .classes
    #expect(classes.first?.label == "8")
  }

  @Test func `A numeric model accepts numbers in every form`() async throws {
    let model = try Model(at: Bundles.diabetes, options: .init(threads: 1, sessions: 2))
    let patient: [Float] = [59, 2, 32.1, 101, 157, 93.2, 38, 4, 4.8598, 87]
    let expected = try Double(model.run(patient)["progression"])
    var timings = Timings()
    var result: [Float] = [0]
    try model.run(patient, into: &result)
    let outputs: [ModelOutput] = [
      try model.run(["features": patient]),
      try model.run([59, 2, 32.1, 101, 157, 93.2, 38, 4, 4.8598, 87]),
      try model.run(["features": [59, 2, 32.1, 101, 157, 93.2, 38, 4, 4.8598, 87]]),
      try model.run(.value(.numbers(Numbers(.floats(patient))))),
      try model.run(patient, timings: &timings),
      try model.run(["features": patient], timings: &timings),
      try await model.submit(patient),
      try await model.submit(["features": patient] as ModelInput),
    ]
    for output in outputs { #expect(try output["progression"].value() == expected) }
    #expect(Double(result[0]) == expected)
    #expect(timings.total.milliseconds > 0)
    #expect(timings.image + timings.input + timings.run + timings.output <= timings.total)
  }

  @Test func `A model with two inputs accepts them by name and by order`() throws {
    let model = try Model(at: Bundles.pair)
    let (foo, bar) = ([0.1, 0.2, 0.3, 0.4], [-1.0, -0.5, 0, 0.5, 1, 0, 0, 0])
    let named = try model.run(["foo-features": foo, "bar-features": bar])
    #expect(try model.run([foo, bar]) == named)
    #expect(try model.run([[0.1, 0.2, 0.3, 0.4], [-1.0, -0.5, 0, 0.5, 1, 0, 0, 0]]) == named)
    #expect(named.names == ["baz-outputs", "qux-outputs"])
    #expect(try [Float](named["qux-outputs"]).count == 6)
  }

  @Test func `An image model returns an image`() throws {
    let model = try Model(at: Bundles.negative)
    let white = try ImageBuffer.filled(width: 8, height: 8, red: 255, green: 255, blue: 255)
    let output = try model.run(white)
    let name = try #require(model.outputs.first?.name)
    let black: ImageBuffer = try output[name].value()
    #expect(black[0, 0] == .black)
    #expect(try black.encoded(as: .png).starts(with: [0x89]))
    #expect(output.imageGeometries.first??.imageToModel.apply(0, 0).x == 0)
  }

  @Test func `A chain is opened like a bundle`() throws {
    let model = try Model(at: Bundles.faces)
    let white = try ImageBuffer.filled(width: 64, height: 64, red: 255, green: 255, blue: 255)
    #expect(model.inputs.map(\.typeName) == ["image"])
    #expect(try model.run(white).detections.isEmpty)
  }

  @Test func `A bundle exposes its description without opening the model`() throws {
    let bundle = try ModelBundle(at: Bundles.digits)
    #expect(bundle.description.inputs.map(\.typeName) == ["image"])
    #expect(try bundle.labels(for: bundle.description.outputs[0]).count == 10)
    #expect(try Model(bundle).bundle == bundle)
    #expect(BundleValidator().validate(Bundles.digits).isValid)
    #expect(bundle.backend == .tflite)
  }

  @Test func `An error contains its location and reason`() throws {
    let model = try Model(at: Bundles.diabetes)
    do {
      _ = try model.run([1, 2, 3])
      Issue.record("three numbers are not ten")
    } catch ModelError.wrongShape {
      Issue.record("the code is another")
    } catch {
      #expect(error.stage == .input)
      #expect(error.layer == "features")
      #expect(error.code == "wrong-count")
      #expect(error.description == "layer 'features': expected 10 values, got 3")
      #expect(error.details == ["expected": 10, "actual": 3])
      #expect(ModelError.wrongCount ~= error)
    }
    #expect(throws: ModelError(.bundle, .missingBundle, file: "nowhere.tiobundle")) {
      try Model(at: "nowhere.tiobundle")
    }
  }
}
