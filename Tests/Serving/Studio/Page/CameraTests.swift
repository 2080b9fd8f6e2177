import TensorIOTestSupport
import Testing

extension StudioPageTests {
  /// The camera: the browser's synthetic stream, or none.
  @Suite struct CameraTests {
    @Test func `Frames are processed in sequence, paused and mirrored`() async throws {
      let page = try await PageVisit("digits/try")
      try await page.waitFor("document.querySelector('.score-bars li')")
      try await page.click(".camera-toggle")
      try await page.waitFor("frames per second", in: ".frame-rate")
      let runs =
        "+document.querySelector('.latency .fine-print').textContent.match(/of ([0-9]+) run/)[1]"
      try await page.waitFor("\(runs) > 4")
      #expect(try await page.count(".input-view video.mirrored") == 1)
      try await page.press("f")
      #expect(try await page.count(".input-view video.mirrored") == 0)
      try await page.click(".camera button", "Pause")
      try await page.waitFor("document.querySelector('.input-view video').paused")
      try await Task.sleep(for: .milliseconds(300))
      let before = try await page.value(runs).number
      try await Task.sleep(for: .milliseconds(300))
      #expect(try await page.value(runs).number == before)
      try await page.click(".camera-toggle", "Stop")
      try await page.waitFor("!document.querySelector('.input-view video')")
      page.expectNoErrors()
    }

    @Test(arguments: [
      ("NotAllowedError", "Access to the camera was denied"),
      ("NotFoundError", "This machine has no camera"),
    ])
    func `An unavailable camera is reported`(
      name: String, message: String
    ) async throws {
      let page = try await PageVisit("digits/try")
      try await page.waitFor("document.querySelector('.score-bars li')")
      let rejection = "Promise.reject(new DOMException('', '\(name)'))"
      try await page.value("navigator.mediaDevices.getUserMedia = () => \(rejection), 0")
      try await page.click(".camera-toggle")
      try await page.waitFor(message, in: ".notification")
      #expect(try await page.text(".camera-toggle") == "Use the camera")
      page.expectNoErrors()
    }
  }
}
