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
  var decoder = try ClassificationDecoder(model)
  decoder.selection.maxCount = 3
  for entry in try decoder.decode(model.run(image)) { print(entry.label, entry.score) }

  var smoother = ClassificationSmoother(decay: 0.7, threshold: 0.01)
  for frame in frames { print(smoother.smooth(try decoder.decode(model.run(frame)))) }
}

private func detect(_ model: Model, _ image: ImageBuffer, _ frames: [ImageBuffer]) throws {
  let detector = try DetectionDecoder(model)
  for detection in try detector.decode(model.run(image)) {
    print(detection.label, detection.score, detection.box, detection.color.hexadecimal)
  }

  var stream = StatefulModel(model)
  for frame in frames { print(try detector.decode(stream.run(frame)).count) }
  stream.reset()
}

private func embed(_ model: Model, _ image: ImageBuffer, _ another: ImageBuffer) throws {
  let embedder = try EmbeddingDecoder(model)
  let first = try embedder.decode(model.run(image))
  let second = try embedder.decode(model.run(another))
  print(try embedder.options.compare(first, second).distance)

  var gallery = InMemoryGallery()
  gallery.enroll(first, as: "tabby")
  print(try gallery.recognize(second, neighbors: 3, embedder.options).name ?? "unknown")
}

private func stylize(_ model: Model, _ image: ImageBuffer, _ path: String) throws {
  var styler = try ImageOutputDecoder(model)
  styler.size = .original
  try styler.decode(model.run(image)).write(to: path)
}

private func chain(_ folder: String, _ embedding: Model, _ image: ImageBuffer) throws {
  let chain = try Chain(at: folder)
  let result = try chain.run(["picture": image])
  for (face, output) in zip(result.detections ?? [], result.outputs["embed"] ?? []) {
    print(face.box, try EmbeddingDecoder(embedding).decode(output))
  }
}
