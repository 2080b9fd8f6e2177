import TensorIOTestSupport
import Testing

extension StudioPageTests {
  /// The camera: a drawing that the browser makes, or none at all.
  @Suite struct Camera {
    @Test func `frames are answered one after the other, paused and flipped`() async throws {
      let page = try await PageVisit("digits/try")
      try await page.waitFor("document.querySelector('.bars li')")
      try await page.click(".camera-button")
      try await page.waitFor("frames a second", in: ".rate")
      let runs = "+document.querySelector('.timing .fine').textContent.match(/of ([0-9]+) run/)[1]"
      try await page.waitFor("\(runs) > 4")
      #expect(try await page.count(".stage video.mirrored") == 1)
      try await page.press("f")
      #expect(try await page.count(".stage video.mirrored") == 0)
      try await page.click(".camera button", "Pause")
      try await page.waitFor("document.querySelector('.stage video').paused")
      try await Task.sleep(for: .milliseconds(300))
      let before = try await page.value(runs).number
      try await Task.sleep(for: .milliseconds(300))
      #expect(try await page.value(runs).number == before)
      try await page.click(".camera-button", "Stop")
      try await page.waitFor("!document.querySelector('.stage video')")
      page.expectPeace()
    }

    @Test(arguments: [
      ("NotAllowedError", "The camera was refused"), ("NotFoundError", "There is no camera"),
    ])
    func `a camera that is not to be had is told of in words`(
      name: String, sentence: String
    ) async throws {
      let page = try await PageVisit("digits/try")
      try await page.waitFor("document.querySelector('.bars li')")
      let refusal = "Promise.reject(new DOMException('', '\(name)'))"
      try await page.value("navigator.mediaDevices.getUserMedia = () => \(refusal), 0")
      try await page.click(".camera-button")
      try await page.waitFor(sentence, in: ".notice")
      #expect(try await page.text(".camera-button") == "Use the camera")
      page.expectPeace()
    }
  }
}
