import Foundation
import TensorIO
import TensorIOTestSupport
import Testing

/// A published segmentation model and its published mask, opened from its metadata alone.
@Suite struct SegmentationFixtureTests {
  private static let deepLab = "tasks/deeplabv3.tflite"

  private static func isAvailable(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: SharedFixtures.path(name))
  }

  @Test(.enabled(if: isAvailable(deepLab))) func `DeepLab finds the published mask`() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/model.tiobundle"
    let result = TestConsole.run(["init", SharedFixtures.path(Self.deepLab), "--output", path])
    #expect(result.exitCode == 0, "\(result)")
    // The image has the size of the model's input.
    let image = try ImageBuffer(
      contentsOf: SharedFixtures.path("tasks/segmentation_input_rotation0.jpg"))
    let segmentation = try Model(at: path).run(image).segmentation
    let mask = try ImageBuffer(
      contentsOf: SharedFixtures.path("tasks/segmentation_golden_rotation0.png"))
    let components = mask.pixels.count / (mask.width * mask.height)
    // The published mask has ten times the index of each class.
    let expected = stride(from: 0, to: mask.pixels.count, by: components).map {
      Int(mask.pixels[$0]) / 10
    }
    #expect(expected.count == 66_049 && Set(expected).count > 2)
    let differences = zip(segmentation.classes, expected).count { Int($0) != $1 }
    #expect(segmentation.classes.count == expected.count && differences == 0)
  }
}
