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

  @Test(arguments: [0, 0.2, 0.35])
  func `Every input frame is either output or counted as dropped`(delay: Double) throws {
    let outcome = try stream("--min-interval", "\(delay)")
    let out = try outcome.jsonLines().count
    let summary = "\(frames.count) frames in, \(out) out, \(frames.count - out) dropped"
    #expect(
      outcome.exitCode == 0 && outcome.firstMessageLine.hasPrefix(summary), "\(outcome.messages)")
    #expect(delay == 0 ? out == frames.count : out < frames.count)
  }
}
