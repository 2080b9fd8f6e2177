import TensorIOImage
import Testing

@testable import TensorIOTasks

@Suite struct CounterTests {
  /// An object whose box has a center.
  private static func object(_ id: Int, _ x: Double, _ y: Double) -> TrackedObject {
    TrackedObject(
      id: id,
      detection: Detection(
        label: "", index: 0, score: 1,
        box: BoundingBox(xmin: x - 5, ymin: y - 5, xmax: x + 5, ymax: y + 5)))
  }

  private static func line(
    point: TrackedPoint = .center, maxLostFrames: Int = 30
  ) -> LineCounter {
    // Upwards: the left side has smaller values of x.
    LineCounter(
      from: .init(x: 50, y: 100), to: .init(x: 50, y: 0), point: point,
      maxLostFrames: maxLostFrames)
  }

  private static func counts(
    _ counter: LineCounter, _ path: [(Double, Double)], id: Int = 1
  ) -> [Int] {
    var counter = counter
    for point in path { counter.update(with: [object(id, point.0, point.1)]) }
    return [counter.leftToRight, counter.rightToLeft]
  }

  @Test func `Crossings are counted in each direction`() {
    #expect(Self.counts(Self.line(), [(40, 50), (60, 50)]) == [1, 0])
    #expect(Self.counts(Self.line(), [(60, 50), (40, 50)]) == [0, 1])
    #expect(Self.counts(Self.line(), [(40, 50), (60, 50), (40, 50), (60, 50)]) == [2, 1])
  }

  @Test func `A stop on the line is one crossing or none`() {
    #expect(Self.counts(Self.line(), [(40, 50), (50, 50), (50, 55), (60, 50)]) == [1, 0])
    #expect(Self.counts(Self.line(), [(40, 50), (50, 50), (40, 50)]) == [0, 0])
    #expect(Self.counts(Self.line(), [(50, 50), (60, 50)]) == [0, 0])
  }

  @Test func `Passing beyond the ends of the line is not counted`() {
    #expect(Self.counts(Self.line(), [(40, 150), (60, 150)]) == [0, 0])
    #expect(Self.counts(Self.line(), [(40, -10), (60, -10), (40, 50)]) == [0, 1])
    #expect(Self.counts(Self.line(point: .bottom), [(40, 96), (60, 96)]) == [0, 0])
  }

  @Test func `The positions of absent objects are forgotten`() {
    for absent in [3, 4] {
      var counter = Self.line(maxLostFrames: 3)
      counter.update(with: [Self.object(1, 40, 50)])
      for _ in 0..<absent { counter.update(with: []) }
      counter.update(with: [Self.object(1, 60, 50)])
      #expect(counter.leftToRight == (absent == 3 ? 1 : 0))
    }
  }

  @Test func `Points that are not finite, and lines without length, count nothing`() {
    #expect(Self.counts(Self.line(), [(40, 50), (.nan, 50), (.infinity, 0), (60, 50)]) == [1, 0])
    let point = LineCounter(from: .init(x: 50, y: 50), to: .init(x: 50, y: 50))
    #expect(Self.counts(point, [(40, 50), (60, 50)]) == [0, 0])
  }

  @Test func `A zone counts the objects in it, and those that enter and leave`() {
    var zone = ZoneCounter([.init(x: 0, y: 0), .init(x: 100, y: 0), .init(x: 50, y: 100)])
    zone.update(with: [Self.object(1, 50, 50), Self.object(2, 5, 90)])
    #expect([zone.inside, zone.entered, zone.exited] == [1, 1, 0])
    zone.update(with: [Self.object(1, 5, 90), Self.object(2, 50, 20)])
    #expect([zone.inside, zone.entered, zone.exited] == [1, 2, 1])
    // A lost object does not leave.
    var lost = Self.object(2, 5, 90)
    lost.state = .lost
    zone.update(with: [lost])
    #expect([zone.inside, zone.entered, zone.exited] == [0, 2, 1])
    zone.update(with: [Self.object(2, 50, 20)])
    #expect([zone.inside, zone.entered, zone.exited] == [1, 2, 1])
  }

  @Test func `The inside of a polygon follows the even-odd rule`() {
    let star = ZoneCounter(
      [(50, 0), (80, 95), (2, 36), (98, 36), (20, 95)].map { .init(x: $0.0, y: $0.1) })
    #expect(star.contains(.init(x: 50, y: 10)) && star.contains(.init(x: 10, y: 38)))
    #expect(!star.contains(.init(x: 50, y: 55)) && !star.contains(.init(x: 0, y: 0)))
    #expect(!star.contains(.init(x: .nan, y: 10)))
    #expect(!ZoneCounter([]).contains(.init(x: 0, y: 0)))
    #expect(!ZoneCounter([.init(x: 0, y: 0), .init(x: 9, y: 9)]).contains(.init(x: 4, y: 5)))
  }
}
