import Foundation
import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIOServer
@testable import TensorIOStudio

/// The storage of uploaded images.
@Suite struct UploadedImagesTests {
  @Test func `An upload that cannot be stored does not use up a label`() throws {
    var limits = UploadedImages.Limits()
    limits.maxLabels = 1
    let images = try UploadedImages(limits)
    let image = try ImageBuffer.filled(width: 2, height: 2, red: 9, green: 9, blue: 9)
      .encoded(as: .png)
    // A file in place of the label's folder.
    try Data("x".utf8).write(to: URL(filePath: images.path + "/cat"))
    let failed = #expect(throws: ClientError.self) {
      try images.add(try #require(UploadPath("cat/1.png")), image)
    }
    #expect(failed?.code == "unwritable")
    #expect(throws: Never.self) { try images.add(try #require(UploadPath("dog/1.png")), image) }
    #expect(images.count == 1)
    let excess = #expect(throws: ClientError.self) {
      try images.add(try #require(UploadPath("cow/1.png")), image)
    }
    #expect(excess?.code == "upload-limit-exceeded")
  }
}
