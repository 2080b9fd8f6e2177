import Foundation
import TensorIOTasks
import TensorIOTestSupport
import Testing

@testable import TensorIOEvaluation

private struct TrackingCase: Decodable {
  struct Frame: Decodable {
    /// The number and the edges of each box.
    let groundTruth, predictions: [[Double]]
  }

  let frames: [Frame]
  let metrics: [String: Double]
}

@Suite struct TrackingMetricTests {
  private static func item(_ id: Int, _ x: Double, size: Double = 10) -> TrackingMetric.Item {
    .init(id: id, box: BoundingBox(xmin: x, ymin: 0, xmax: x + size, ymax: size))
  }

  private static func value(_ name: String, _ metric: TrackingMetric) -> Double? {
    metric.values.first { $0.name == name }?.value
  }

  @Test func `The metrics of random tracks match motmetrics`() throws {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let file = URL(filePath: ProjectFiles.path("Tests/Fixtures/Tracking/metrics.json"))
    let cases = try decoder.decode([TrackingCase].self, from: Data(contentsOf: file))
    func items(_ rows: [[Double]]) -> [TrackingMetric.Item] {
      rows.map { row in
        .init(
          id: Int(row[0]),
          box: BoundingBox(xmin: row[1], ymin: row[2], xmax: row[3], ymax: row[4]))
      }
    }
    for example in cases {
      let metric = example.frames.reduce(into: TrackingMetric()) { metric, frame in
        metric.add(items(frame.predictions), groundTruth: items(frame.groundTruth))
      }
      for value in metric.values {
        #expect(agree(value.value, example.metrics[value.name], within: 1e-9), "\(value.name)")
      }
      #expect(metric.values.count == 8 && example.metrics.count == 8)
    }
    #expect(cases.count == 5)
  }

  @Test func `Perfect tracks have an accuracy of 1, whatever their numbers`() {
    var metric = TrackingMetric()
    for frame in 0..<3 {
      let x = Double(frame)
      metric.add(
        [Self.item(7, 50 + x), Self.item(9, x)],
        groundTruth: [Self.item(1, x), Self.item(2, 50 + x)])
    }
    #expect(metric.accuracy == 1 && metric.meanDistance == 0 && Self.value("idf1", metric) == 1)
  }

  @Test func `A match of the frame before has priority over a nearer box`() {
    var metric = TrackingMetric()
    metric.add([Self.item(1, 0)], groundTruth: [Self.item(1, 0)])
    metric.add([Self.item(1, 2), Self.item(2, 0)], groundTruth: [Self.item(1, 0)])
    #expect(metric.switchCount == 0 && metric.falsePositiveCount == 1)
    metric.add([Self.item(2, 0)], groundTruth: [Self.item(1, 0)])
    #expect(metric.switchCount == 1)
  }

  @Test func `Without ground truth or predictions, the metrics are undefined or zero`() {
    var metric = TrackingMetric()
    metric.add([], groundTruth: [])
    #expect(metric.accuracy == nil && Self.value("idf1", metric) == nil)
    metric.add([Self.item(1, 0), Self.item(2, .nan)], groundTruth: [])
    #expect(metric.accuracy == nil && metric.falsePositiveCount == 2)
    metric.add([], groundTruth: [Self.item(1, 0)])
    #expect(metric.accuracy == -2 && Self.value("idf1", metric) == 0)
  }
}
