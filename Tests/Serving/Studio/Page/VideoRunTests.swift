import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOStudio

extension StudioPageTests {
  /// A model that runs on a video file.
  @Suite struct VideoRunTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(
      .enabled(if: ShapeVideo.isAvailable, "ffmpeg is not installed"),
      arguments: [(1280, false), (800, true), (390, false)])
    func `Frames are shown while they are processed, and played again`(
      width: Int, isDark: Bool
    ) async throws {
      let page = try await PageVisit(
        "shape-detector/try", bundles: ["shape-detector"], width: width, isDark: isDark)
      try await page.waitFor("document.querySelectorAll('.entries li').length === 4")
      try await page.drop([try ShapeVideo.make(in: folder)])
      try await page.waitFor("shapes.mp4: 20 frames", in: ".video-note")
      try await page.waitFor("frame 20 of 20", in: ".video-time")
      try await page.waitFor("object 1", in: ".entries li")
      try await page.waitFor("object 2", in: ".entries li")
      let isDrawn = """
        (() => {
          const canvas = document.querySelector(".input-view canvas");
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          return data.some((value) => value > 0);
        })()
        """
      try await page.waitFor(isDrawn)
      let scrollWidth = try await page.value("document.documentElement.scrollWidth").number
      #expect(scrollWidth == Double(width))
      try await page.value("document.querySelector('.video-run').scrollIntoView()")
      try await page.save("video-\(width)")
      // The video is played from its beginning.
      try await page.click(".video-controls button", "Play")
      try await page.waitFor(
        "!document.querySelector('.video-time').textContent.includes('frame 20')")
      try await page.waitFor("frame 20 of 20", in: ".video-time")
      try await page.waitFor("Play", in: ".video-controls button")
      try await page.value("document.querySelector('.video-position').focus()")
      try await page.press("ArrowLeft", code: 37)
      try await page.waitFor("frame 19 of 20", in: ".video-time")
      // Without numbers, the model is run again.
      try await page.click(".video-run .checkbox-field input")
      try await page.waitFor("frame 20 of 20", in: ".video-time")
      let items = "[...document.querySelectorAll('.entries li')]"
      try await page.waitFor(
        "\(items).length && !\(items).some((each) => each.textContent.includes('object'))")
      let lines = try await page.exportedText(".video-run button", "Export the results")
      #expect(lines.split(separator: "\n").count == 20)
      try await page.click(".video-run button", "Close the video")
      try await page.waitFor("document.querySelector('.video-run').hidden")
      try await page.waitFor("document.querySelectorAll('.entries li').length === 4")
      page.expectNoErrors()
    }

    @Test(.enabled(if: ShapeVideo.isAvailable, "ffmpeg is not installed"))
    func `A file that is no video is reported, and leaving the page closes a video`() async throws {
      let page = try await PageVisit("digits/try", bundles: ["digits"])
      try await page.waitFor("document.querySelector('.score-bars li')")
      try await page.drop([try folder.write("no video", to: "text.mp4")])
      try await page.waitFor("text.mp4 cannot be played", in: ".video-note")
      try await page.waitFor("Invalid data", in: ".video-run .error-message")
      // A model that finds no objects numbers none.
      let option = "document.querySelector('.video-run .checkbox-field')"
      #expect(try await page.value("\(option).hidden").bool == true)
      try await page.drop([try ShapeVideo.make(in: folder)])
      try await page.waitFor("frame 20 of 20", in: ".video-time")
      let videos = try #require(page.server).videos
      #expect(videos.count == 1)
      try await page.reload()
      while videos.count > 0 { try await Task.sleep(for: .milliseconds(20)) }
    }
  }
}

extension PageVisit {
  /// Saves a screenshot in the build folder, to be looked at.
  func save(_ name: String) async throws {
    let folder = ProjectFiles.path(".build/studio")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(try await screenshot()).write(to: URL(filePath: "\(folder)/\(name).png"))
  }

  /// Clicks on a button, and returns the text of the file that it saves.
  fileprivate func exportedText(_ selector: String, _ text: String) async throws -> String {
    try await value(
      """
      (() => {
        const create = URL.createObjectURL;
        URL.createObjectURL = (blob) => {
          blob.text().then((text) => { window.exportedText = text; });
          return create.call(URL, blob);
        };
      })()
      """)
    try await click(selector, text)
    try await waitFor("window.exportedText")
    return try await value("window.exportedText").string ?? ""
  }
}
