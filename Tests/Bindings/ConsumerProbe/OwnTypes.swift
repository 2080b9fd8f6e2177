import TensorIO
import TensorIOBundle
import TensorIOCore
import Testing

/// An application's type that is an input layer.
private struct Patient: LayerValueConvertible {
  var age: Float
  var others: [Float]

  var layerValue: LayerValue { ([age] + others).layerValue }
}

/// An application's type that is an output layer.
private struct Progression: LayerValueReadable, Equatable {
  var points: Int

  init(_ value: LayerValue) throws(ModelError) {
    points = Int(try Double(value).rounded())
  }
}

/// An application's type that provides all inputs.
private struct Visit: ModelInputConvertible {
  var patient: Patient

  var modelInput: ModelInput { ["features": patient] }
}

@Suite struct OwnTypes {
  @Test func `An application's own types can be used as inputs and outputs`() async throws {
    let model = try Model(at: Bundles.diabetes)
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
