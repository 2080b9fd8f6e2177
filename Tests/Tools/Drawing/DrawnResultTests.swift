import Foundation
import TensorIO
import TensorIODrawing
import TensorIOTestSupport
import Testing

/// The results of models drawn by an application, with public declarations only.
@Suite struct DrawnResultTests {
  private func run(
    _ bundle: String, _ sample: String
  ) throws -> (image: ImageBuffer, output: ModelOutput) {
    let path = ProjectFiles.path("Examples/Bundles/\(bundle).tiobundle")
    let image = try ImageBuffer(contentsOf: "\(path)/samples/\(sample)")
    return (image, try Model(at: path).run(image))
  }

  @Test(arguments: [
    ("shape-detector", "1.jpg"), ("shape-segmenter", "1.jpg"), ("digits", "3-1.png"),
    ("figure-pose", "1.jpg"),
  ])
  func `A result is drawn as its overlay is`(bundle: String, sample: String) throws {
    let (image, output) = try run(bundle, sample)
    let overlay = try output.overlay
    #expect(!overlay.isEmpty)
    var canvas = try Canvas(enlarging: image)
    let original = try canvas.image
    canvas.draw(overlay)
    let drawn = try output.drawn(on: image)
    #expect(drawn == (try canvas.image))
    #expect(drawn != original)
  }

  @Test func `A detection and a tracked object become boxes`() throws {
    let (_, output) = try run("shape-detector", "1.jpg")
    let detections = try output.detections
    let boxes = try output.overlay.elements.compactMap { element -> Overlay.Box? in
      if case .box(let box) = element { box } else { nil }
    }
    #expect(!boxes.isEmpty)
    #expect(detections.map { BoxAnnotation($0) } == boxes.map { BoxAnnotation($0) })
    var tracker = ObjectTracker()
    let objects = tracker.update(with: detections)
    let tracked = detections.prefix { $0.score >= tracker.options.minimumNewObjectScore }
    #expect(!tracked.isEmpty)
    #expect(objects.map(\.label) == tracked.map(\.label))
    #expect(objects.map(\.score) == tracked.map(\.score))
    #expect(objects.map(\.box) == tracked.map(\.box))
    #expect(
      objects.map { BoxAnnotation($0).label }
        == zip(tracked, 1...).map { "\($0.label) #\($1)" })
  }

  @Test func `An image is returned, and nothing is drawn on it`() throws {
    let (image, output) = try run("pencil", "temple.png")
    #expect(try output.drawn(on: image) == output.image)
  }

  @Test func `An output that no model returned cannot be drawn`() throws {
    let image = try plain(8, 8)
    #expect {
      try ModelOutput.empty.drawn(on: image)
    } throws: { error in
      (error as? ModelError)?.stage == .output && "\(error)".contains("no model returned")
    }
  }
}
