import TensorIOBundle
import TensorIOCore
import TensorIOEvaluation
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

@Suite struct DriftMetricsTests {
  private let bundle: TestBundle

  init() throws { bundle = try TestBundle() }

  /// Writes the reference of items whose two numbers are from 0 to 1.
  private func writeReference() throws {
    let sample = try DriftSample(of: bundle.open(.pair), count: 500) { index in
      .named(["x": Self.row(index)])
    }
    try DriftReference(sample).write(to: bundle.read())
  }

  private static func row(_ index: Int, plus offset: Double = 0) -> LayerValue {
    [Double(index * 37 % 100) / 100 + offset, 0.5].layerValue
  }

  private func served() throws -> ServedModel {
    try ServedModel("pair", bundle.open(.pair), serving: ServingOptions())
  }

  /// The lines of the metrics of drift.
  private func lines(_ model: ServedModel) throws -> [String] {
    let entry = try ModelCatalog.Entry(
      name: "pair", path: bundle.path, bundle: .success(bundle.read()))
    let status = ModelStatus(
      entry: entry, state: .ready, bundle: model.model.bundle, model: model,
      statistics: model.statistics, replacementError: nil)
    var writer = PrometheusWriter()
    DriftMetrics([status]).write(to: &writer)
    return String(decoding: writer.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Returns the metrics of a model whose bundle has a reference.
  func exposition() throws -> String {
    try writeReference()
    return try lines(served()).joined(separator: "\n")
  }

  private func value(_ name: String, in lines: [String], _ label: String = "") -> Double? {
    lines.first { $0.hasPrefix("\(name){") && $0.contains(label) }?
      .split(separator: " ").last.flatMap { Double($0) }
  }

  @Test func `A bundle without a reference has no metrics of drift`() throws {
    let model = try served()
    _ = model.run(.value(Self.row(1)))
    #expect(model.drift == nil)
    #expect(try lines(model).isEmpty)
  }

  @Test func `The index is measured from 200 items on`() throws {
    try writeReference()
    let model = try served()
    for index in 0..<199 { _ = model.run(.value(Self.row(index))) }
    #expect(value("tensorio_model_drift_items", in: try lines(model)) == 199)
    #expect(value("tensorio_model_drift_psi", in: try lines(model)) == nil)
    _ = model.run(.value(Self.row(199)))
    let lines = try lines(model)
    #expect(value("tensorio_model_drift_reference", in: lines) == 1)
    #expect(value("tensorio_model_drift_psi", in: lines, #"number="x[0]""#) ?? 1 < 0.1)
    #expect(value("tensorio_model_drift_alert", in: lines) == 0)
  }

  @Test func `Drift is an alert, which ends when the window has passed`() throws {
    try writeReference()
    let model = try served()
    for index in 0..<DriftMonitor.halfWindow {
      _ = model.run(.value(Self.row(index, plus: 0.5)))
    }
    let moved = try lines(model)
    #expect(value("tensorio_model_drift_psi", in: moved, #"number="x[0]""#) ?? 0 > 0.25)
    #expect(value("tensorio_model_drift_psi", in: moved, #"number="x[1]""#) == 0)
    // The first number, and the output that is equal to it.
    #expect(value("tensorio_model_drift_alert", in: moved) ?? 0 >= 1)
    for index in 0..<2 * DriftMonitor.halfWindow { _ = model.run(.value(Self.row(index))) }
    let after = try lines(model)
    #expect(value("tensorio_model_drift_items", in: after) == 2000)
    #expect(value("tensorio_model_drift_alert", in: after) == 0)
  }

  @Test func `A run that fails is not counted, and merged runs are`() throws {
    try writeReference()
    let model = try served()
    _ = model.run(.value(["a"].layerValue))
    #expect(value("tensorio_model_drift_items", in: try lines(model)) == 0)
    _ = model.run(merging: [.value(Self.row(1)), .value(Self.row(2))])
    #expect(value("tensorio_model_drift_items", in: try lines(model)) == 2)
  }

  @Test func `A damaged reference is reported, and the model is served`() throws {
    try bundle.write(Array("{}".utf8), to: "reference.json")
    let model = try served()
    #expect((try? model.run(.value(Self.row(1))).get()) != nil)
    #expect(value("tensorio_model_drift_reference", in: try lines(model)) == 0)
  }
}
