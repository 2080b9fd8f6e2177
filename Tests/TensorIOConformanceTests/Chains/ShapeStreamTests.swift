import TensorIO
import TensorIOImage
import TensorIOTasks
import TensorIOTestSupport
import Testing

/// `tensorio stream` with the detector of drawn shapes, on drawn pictures as frames.
@Suite struct ShapeStreamTests {
  private static let bundle = ProjectFiles.path("Examples/Bundles/shape-detector.tiobundle")
  private let frames: [DrawnPictures.Picture]

  init() throws {
    frames = Array(try DrawnPictures("shapes-over-photographs").pictures("pictures").prefix(12))
  }

  private func stream(_ words: String...) throws -> CommandResult {
    var console = TestConsole()
    console.input = try frames.flatMap { try Self.pixmap($0.path) }
    return console.run(["stream", Self.bundle, "-", "--rate", "10"] + words)
  }

  private static func pixmap(_ path: String) throws -> [UInt8] {
    let rgb = try ImageBuffer(contentsOf: path).converted(to: .rgb)
    return Array("P6\n\(rgb.width) \(rgb.height)\n255\n".utf8) + rgb.pixels
  }

  @Test func `the shapes of every frame are found where they are`() throws {
    let outcome = try stream()
    #expect(outcome.exitCode == 0)
    let records = try outcome.jsonLines()
    #expect(records.count == frames.count)
    var (right, there) = (0, 0)
    for (record, frame) in zip(records, frames) {
      let found = record["outputs"]?["detections"]?.array ?? []
      there += frame.things.count
      right += frame.things.count { thing in
        found.contains { detection in
          detection["label"]?.string == thing.label
            && (BoundingBox(detection["box"])?.intersectionOverUnion(thing.box) ?? 0) >= 0.5
        }
      }
    }
    print("shapes: \(right) of \(there) found in \(frames.count) frames")
    #expect(there >= 20 && Double(right) >= 0.8 * Double(there), "\(right) of \(there)")
  }

  @Test(arguments: [0, 0.2, 0.35])
  func `frames in are frames out and dropped`(delay: Double) throws {
    let outcome = try stream("--min-delay", "\(delay)")
    let out = try outcome.jsonLines().count
    let told = "\(frames.count) frames in, \(out) out, \(frames.count - out) dropped"
    #expect(outcome.exitCode == 0 && outcome.firstMessageLine.hasPrefix(told), "\(outcome.messages)")
    #expect(delay == 0 ? out == frames.count : out < frames.count)
  }
}
