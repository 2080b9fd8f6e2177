import TensorIO
import TensorIOImage
import TensorIOTasks
import TensorIOTestSupport
import Testing

/// `tensorio stream` with the detector of drawn shapes, with drawn images as frames.
@Suite struct ShapeStreamTests {
  private static let bundle = ProjectFiles.path("Examples/Bundles/shape-detector.tiobundle")
  private let frames: [DrawnImages.Image]

  init() throws {
    frames = Array(try DrawnImages("shapes-over-photographs").images("pictures").prefix(12))
  }

  private func stream(_ arguments: String...) throws -> CommandResult {
    var console = TestConsole()
    console.input = try frames.flatMap { try Self.pixmap($0.path) }
    return console.run(["stream", Self.bundle, "-", "--frame-rate", "10"] + arguments)
  }

  private static func pixmap(_ path: String) throws -> [UInt8] {
    let rgb = try ImageBuffer(contentsOf: path).converted(to: .rgb)
    return Array("P6\n\(rgb.width) \(rgb.height)\n255\n".utf8) + rgb.pixels
  }

  @Test func `The shapes in every frame are detected at their positions`() throws {
    let outcome = try stream()
    #expect(outcome.exitCode == 0)
    let records = try outcome.jsonLines()
    #expect(records.count == frames.count)
    var (right, there) = (0, 0)
    for (record, frame) in zip(records, frames) {
      let found = record["outputs"]?["detections"]?.array ?? []
      there += frame.objects.count
      right += frame.objects.count { object in
        found.contains { detection in
          detection["label"]?.string == object.label
            && (BoundingBox(detection["box"])?.intersectionOverUnion(object.box) ?? 0) >= 0.5
        }
      }
    }
    print("shapes: \(right) of \(there) found in \(frames.count) frames")
    #expect(there >= 20 && Double(right) >= 0.8 * Double(there), "\(right) of \(there)")
  }

  @Test func `An object whose class changes keeps its number only if classes do not matter`() throws
  {
    // A circle becomes a square.
    let (width, height) = (320, 240)
    var input: [UInt8] = []
    for frame in 0..<20 {
      input += Array("P6\n\(width) \(height)\n255\n".utf8)
      for y in 0..<height {
        for x in 0..<width {
          let (right, down) = (abs(x - 160), abs(y - 120))
          let isDrawn = frame < 10 ? right * right + down * down < 1600 : max(right, down) < 40
          input += isDrawn ? [200, 40, 40] : [235, 235, 230]
        }
      }
    }
    for options in [["--track"], ["--class-agnostic"]] {
      var console = TestConsole()
      console.input = input
      let outcome = console.run(["stream", Self.bundle, "-", "--frame-rate", "10"] + options)
      let found = try outcome.jsonLines().flatMap { $0["outputs"]?["detections"]?.array ?? [] }
      func ids(_ label: String) -> Set<Double> {
        Set(found.filter { $0["label"]?.string == label }.compactMap { $0["id"]?.number })
      }
      #expect(ids("circle") == [1], "\(options)")
      #expect(ids("square") == (options == ["--track"] ? [2] : [1]), "\(options)")
    }
  }

  @Test func `Shapes that cross a line keep their numbers and are counted`() throws {
    // A circle moves to the right and a square to the left.
    let (width, height) = (320, 240)
    var input: [UInt8] = []
    for frame in 0..<30 {
      let (circle, square) = (30 + frame * 8, 290 - frame * 8)
      input += Array("P6\n\(width) \(height)\n255\n".utf8)
      for y in 0..<height {
        for x in 0..<width {
          let isCircle = (x - circle) * (x - circle) + (y - 60) * (y - 60) < 625
          let isSquare = abs(x - square) < 25 && abs(y - 170) < 25
          input += isCircle ? [200, 40, 40] : isSquare ? [40, 60, 200] : [235, 235, 230]
        }
      }
    }
    var console = TestConsole()
    console.input = input
    let outcome = console.run([
      "stream", Self.bundle, "-", "--frame-rate", "10", "--line", "160,240,160,0",
    ])
    let records = try outcome.jsonLines()
    #expect(outcome.exitCode == 0 && records.count == 30)
    for label in ["circle", "square"] {
      let ids = records.flatMap { $0["outputs"]?["detections"]?.array ?? [] }
        .filter { $0["label"]?.string == label }.compactMap { $0["id"]?.number }
      #expect(ids.count > 15 && Set(ids).count == 1, "\(label)")
    }
    let counts = records.last?["counts"]
    #expect(counts?["objects"]?.number == 2)
    #expect(counts?["lines"]?[0]?["left_to_right"]?.number == 1)
    #expect(counts?["lines"]?[0]?["right_to_left"]?.number == 1)
  }

  @Test(arguments: [0, 0.2, 0.35])
  func `Every input frame is either output or counted as dropped`(delay: Double) throws {
    let outcome = try stream("--min-interval", "\(delay)")
    let out = try outcome.jsonLines().count
    let summary = "\(frames.count) frames in, \(out) out, \(frames.count - out) dropped"
    // Statistics of a part come first where the frames take more than ten seconds.
    #expect(outcome.exitCode == 0 && outcome.messages.contains(summary), "\(outcome.messages)")
    #expect(delay == 0 ? out == frames.count : out < frames.count)
  }
}
