import TensorIOBundle
import Testing

@testable import TensorIOEvaluation

@Suite struct GateTests {
  @Test(arguments: [
    ("top1>=0.97", Gate("top1", .atLeast, 0.97)),
    ("top1 >= 97%", Gate("top1", .atLeast, 0.97)),
    (" f1 > 99.9 % ", Gate("f1", .above, 0.999)),
    ("top5-threshold>=0.5", Gate("top5-threshold", .atLeast, 0.5)),
    ("eer<2%", Gate("eer", .below, 0.02)),
    ("bias<=-1.5e-3", Gate("bias", .atMost, -0.0015)),
    ("max_error==0", Gate("max_error", .equal, 0)),
    ("mae<1e1%", Gate("mae", .below, 0.1)),
  ])
  func `A gate is parsed`(text: String, gate: Gate) throws {
    #expect(try Gate(text) == gate)
    #expect(try Gate(gate.description) == gate)
  }

  @Test(arguments: [
    "", "top1", "top1=0.9", "top1>=", ">=0.9", " >=0.9", "top1>=high", "top1>=nan", "top1>=inf",
    "top1>=0.9>=0.8", "top1>==0.9", "top1<>1", "top1>=%", "top1=>0.9",
  ])
  func `An invalid gate is rejected`(text: String) {
    #expect(throws: ModelError(.input, .invalidGate(text))) { try Gate(text) }
  }

  @Test(arguments: [
    (Gate.Comparison.atLeast, [false, true, true]), (.atMost, [true, true, false]),
    (.equal, [false, true, false]), (.above, [false, false, true]), (.below, [true, false, false]),
  ])
  func `A value is compared with the threshold`(
    comparison: Gate.Comparison, passes: [Bool]
  ) throws {
    let gate = Gate("loss", comparison, 2)
    for (value, passes) in zip([1.0, 2, 3], passes) {
      #expect(
        try gate.evaluate([MetricValue("other", 9), MetricValue("loss", value)]).passes == passes)
    }
    #expect(try gate.evaluate([MetricValue("loss", .nan)]).passes == false)
  }

  @Test func `Every value of a metric must pass`() throws {
    let gate = Gate("mae", .atMost, 1)
    #expect(try gate.evaluate([MetricValue("mae", values: [0.5, 1])]).passes)
    #expect(try gate.evaluate([MetricValue("mae", values: [0.5, 1.1])]).passes == false)
    #expect(try gate.evaluate([MetricValue("mae", values: [])]).passes == false)
  }

  @Test func `The description of an outcome contains the value`() throws {
    let gate = try Gate("top1>=97%")
    #expect("\(try gate.evaluate([MetricValue("top1", 0.9)]))" == "top1 >= 0.97: failed with 0.9")
    #expect("\(try gate.evaluate([MetricValue("top1", 0.98)]))" == "top1 >= 0.97: passed with 0.98")
  }

  @Test func `The error for an unknown metric has a suggestion`() throws {
    let metrics = ["top1", "top5", "balanced_accuracy"].map { MetricValue($0, 1) }
    let error = #expect(throws: ModelError.self) {
      try Gate("balanced_acuracy>0").evaluate(metrics)
    }
    #expect(
      error?.description
        == "unknown metric 'balanced_acuracy'; did you mean 'balanced_accuracy'?")
    let other = #expect(throws: ModelError.self) { try Gate("speed>0").evaluate(metrics) }
    #expect(
      other?.description
        == "unknown metric 'speed'; known metrics: 'top1', 'top5', 'balanced_accuracy'")
    let accuracy = #expect(throws: ModelError.self) { try Gate("accuracy>0").evaluate(metrics) }
    #expect(accuracy?.description == "unknown metric 'accuracy'; did you mean 'top1'?")
    let latency = metrics + [MetricValue("latency_p50", 1), MetricValue("run_p99", 1)]
    let mixed = #expect(throws: ModelError.self) { try Gate("speed>0").evaluate(latency) }
    #expect(
      mixed?.description.hasSuffix("'balanced_accuracy', and those of latency and memory") == true)
  }
}
