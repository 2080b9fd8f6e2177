import TensorIOTestSupport
import Testing

extension StudioPageTests {
  /// Teaching classes with the browser's synthetic camera and with files.
  @Suite struct TeachTests {
    @Test func `Ten images of the camera and files are two classes of a new model`() async throws {
      let page = try await PageVisit("digits-embedder/teach", bundles: ["digits-embedder"])
      try await page.waitFor("document.querySelectorAll('.taught-class').length === 2")
      try await page.click(".taught-class:first-child button", "Show it 10")
      try await page.waitFor(
        "document.querySelector('.taught-class:first-child .taught-count').textContent === '10 images'"
      )
      try await page.waitFor("!document.querySelector('#view-teach video')")
      // Squares of several sizes: files that the page has drawn.
      try await page.value(
        """
        (async () => {
          const transfer = new DataTransfer();
          for (let index = 0; index < 6; index += 1) {
            const canvas = new OffscreenCanvas(32, 32);
            const context = canvas.getContext("2d");
            context.fillStyle = "white";
            context.fillRect(4 + index, 4, 8 + index, 20);
            transfer.items.add(new File([await canvas.convertToBlob()], `${index}.png`, { type: "image/png" }));
          }
          const field = document.querySelector(".taught-class:last-child input[type=file]");
          field.files = transfer.files;
          field.dispatchEvent(new Event("change"));
        })(), 0
        """)
      try await page.waitFor(
        "document.querySelector('.taught-class:last-child .taught-count').textContent === '6 images'"
      )
      try await page.click("#view-teach .button-primary", "Teach")
      try await page.waitFor("document.querySelector('.taught-report tbody tr')")
      #expect(try await page.count(".taught-report tbody tr") == 2)
      try await page.click(".taught-report button", "Try it")
      try await page.waitFor("location.hash === '#/my-digits-embedder/try'")
      page.expectNoErrors()
    }

    @Test func `A class without images is an error that names what is missing`() async throws {
      let page = try await PageVisit("digits-embedder/teach", bundles: ["digits-embedder"])
      try await page.waitFor("document.querySelectorAll('.taught-class').length === 2")
      try await page.click("#view-teach .button-primary", "Teach")
      try await page.waitFor("two classes", in: ".notification")
      try await page.click(".taught-class:last-child button", "Remove the class")
      #expect(try await page.count(".taught-class") == 1)
    }
  }
}
