import Foundation
import TensorIO
import TensorIOCore
import TensorIOImage
import TensorIOTasks
import TensorIOTestSupport
import Testing

/// Verifies that the code in `Documentation/Tasks.md` compiles: this file contains each of its
/// blocks.
@Suite struct TasksPageTests {
  @Test func `The code on the page is compiled`() throws {
    let page = try String(
      contentsOfFile: ProjectFiles.path("Documentation/Tasks.md"), encoding: .utf8)
    let source = lines(try String(contentsOfFile: #filePath, encoding: .utf8))
    let blocks = page.matches(of: #/```swift\n(?<code>.*?)```/#.dotMatchesNewlines())
    #expect(blocks.count == 8)
    for block in blocks {
      #expect(source.contains(lines(String(block.code))), "\(block.code)")
    }
  }

  /// The text without indentation.
  private func lines(_ text: String) -> String {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .joined(separator: "\n")
  }
}

private func classify(_ digits: String, _ image: ImageBuffer, _ frames: [ImageBuffer]) throws {
  let model = try Model(bundleAt: digits)
  for entry in try model.run(image).classes { print(entry.label, entry.score) }
  let best = try model.run(image).classes { $0.maxCount = 3 }
  print(best.count)

  var smoother = ClassificationSmoother(decay: 0.7, threshold: 0.01)
  for frame in frames { print(smoother.smooth(try model.run(frame).classes)) }
}

private func detect(_ model: Model, _ image: ImageBuffer, _ frames: [ImageBuffer]) throws {
  for detection in try model.run(image).detections {
    print(detection.label, detection.score, detection.box, detection.color.hexadecimal)
  }

  var stream = StatefulModel(model)
  for frame in frames { print(try stream.run(frame).detections.count) }
  stream.reset()
}

private func embed(_ model: Model, _ image: ImageBuffer, _ another: ImageBuffer) throws {
  let first = try model.run(image).embedding
  let second = try model.run(another).embedding
  print(try model.embeddingOptions.compare(first, second).distance)

  var gallery = InMemoryGallery()
  gallery.enroll(first, as: "tabby")
  print(try gallery.recognize(second, neighbors: 3, model.embeddingOptions).name ?? "unknown")
}

private func stylize(_ model: Model, _ image: ImageBuffer, _ path: String) throws {
  try model.run(image).image { $0.size = .original }.write(to: path)
}

private func chain(_ folder: String, _ image: ImageBuffer) throws {
  let chain = try Chain(at: folder)
  let result = try chain.run(["picture": image])
  for (face, output) in zip(result.detections ?? [], result.outputs["embed"] ?? []) {
    print(face.box, try output.embedding)
  }
}
