import TensorIO
import TensorIOBundle
import TensorIOCore
import Testing

/// A type of the application that goes into a layer.
private struct Patient: LayerValueConvertible {
  var age: Float
  var others: [Float]

  var layerValue: LayerValue { ([age] + others).layerValue }
}

/// A type of the application that comes out of one.
private struct Progression: LayerValueReadable, Equatable {
  var points: Int

  init(_ value: LayerValue) throws(ModelError) {
    points = Int(try Double(value).rounded())
  }
}

/// A type of the application that stands for all inputs.
private struct Visit: ModelInputConvertible {
  var patient: Patient

  var modelInput: ModelInput { ["features": patient] }
}

@Suite struct OwnTypes {
  @Test func `an application's own types go in and come out`() async throws {
    let model = try Model(bundleAt: Bundles.diabetes)
    let patient = Patient(age: 59, others: [2, 32.1, 101, 157, 93.2, 38, 4, 4.8598, 87])
    let progression: Progression = try model.run(patient)["progression"].value()
    #expect(progression.points > 0)
    let others = [
      try model.run(Visit(patient: patient)), try model.run(["features": patient]),
      try await model.submit(patient),
    ]
    for output in others { #expect(try output["progression"].value() == progression) }
  }
}
