import TensorIOTestSupport
import Testing

extension StudioPageTests {
  /// Addresses, the list of models, and names.
  @Suite struct NavigationTests {
    @Test func `A model that can be run is selected first, and a missing runtime is named`()
      async throws
    {
      // The title of the TensorFlow bundle is the first.
      let page = try await PageVisit(
        bundles: ["digits", "shapes-trainable"],
        arguments: ["--tensorflow-library", "/nowhere/libtensorflow.so"])
      try await page.waitFor("Handwritten digits", in: "h1")
      try await page.waitFor("document.querySelector('.score-bars li')")
      try await page.click("button.model", "needs TensorFlow")
      try await page.waitFor("TensorFlow is not installed", in: ".missing-runtime h2")
      try await page.waitFor("tensorio runtime install tensorflow", in: ".missing-runtime pre")
      #expect(try await page.count(".error-message:not([hidden])") == 0)
      try await page.click("[role=tab]", "Evaluate")
      try await page.waitFor(
        "TensorFlow is not installed", in: "#view-evaluate .missing-runtime h2")
      try await page.click("button.model", "Handwritten digits")
      try await page.click("[role=tab]", "Try")
      try await page.waitFor("document.querySelector('.score-bars li')")
      page.expectNoErrors()
    }

    @Test func `An unknown address is reported`() async throws {
      let page = try await PageVisit("nothing/try")
      try await page.waitFor("This studio has no model named “nothing”.", in: "#empty-state")
      #expect(try await page.value("document.querySelector('#model-view').hidden").bool == true)
      try await page.click("#empty-state button", "Open Handwritten digits")
      try await page.waitFor("document.querySelector('.score-bars li')")
      #expect(try await page.value("location.hash").string == "#/digits/try")
      try await page.value("location.hash = '#/digits/nothing'")
      try await page.waitFor("A model has no tab “nothing”", in: "#empty-state")
      try await page.value("history.back()")
      try await page.waitFor("!document.querySelector('#model-view').hidden")
      page.expectNoErrors()
    }

    @Test func `A model that takes no image has no tab Images`() async throws {
      let page = try await PageVisit("diabetes/images", bundles: ["digits", "diabetes"])
      try await page.waitFor("document.querySelector('.scalar-output')")
      let isHidden = "document.querySelector('#tab-images').hidden"
      #expect(try await page.value(isHidden).bool == true)
      try await page.press("3")
      #expect(try await page.value("!document.querySelector('#view-try').hidden").bool == true)
      try await page.click("button.model", "Handwritten digits")
      try await page.waitFor("!\(isHidden)")
      try await page.press("3")
      try await page.waitFor("location.hash === '#/digits/images'")
      try await page.click("button.model", "Diabetes")
      try await page.waitFor("location.hash === '#/diabetes/try'")
      page.expectNoErrors()
    }

    @Test func `A link to a part of the page does not change the model`() async throws {
      let page = try await PageVisit("pencil/try", bundles: ["digits", "pencil"])
      try await page.value("document.querySelector('.skip-link').click()")
      try await page.waitFor("location.hash === '#main'")
      try await Task.sleep(for: .milliseconds(50))
      #expect(try await page.text("#model-name").contains("Pencil"))
      page.expectNoErrors()
    }

    @Test func `Dialogs close when the address changes`() async throws {
      let page = try await PageVisit("digits/try")
      try await page.click("[role=tab]", "About")
      for dialog in ["settings", "help", "import"] {
        try await page.click("#open-\(dialog)")
        try await page.waitFor("document.querySelector('#\(dialog)').open")
        try await page.value("history.back()")
        try await page.waitFor("!document.querySelector('dialog[open]')")
        #expect(try await page.value("location.hash").string == "#/digits/try")
        try await page.click("[role=tab]", "About")
      }
      page.expectNoErrors()
    }

    @Test func `Models are in natural order, with the selected one in view`() async throws {
      let folder = try TemporaryFolder()
      let paths = try (1...30).shuffled().map { number in
        try folder.write(
          """
          {"name": "Model \(number)", "details": "", "id": "m\(number)", "version": "1",
           "author": "", "license": "",
           "model": {"file": "model.tflite", "quantized": false, "backend": "tflite",
                     "modes": ["predict"]},
           "inputs": [{"name": "x", "type": "array", "shape": [1]}],
           "outputs": [{"name": "y", "type": "array", "shape": [1]}]}
          """, to: "m\(number).tiobundle/model.json")
        return "\(folder.path)/m\(number).tiobundle"
      }
      let page = try await PageVisit("m29/about", bundles: paths, height: 500)
      let names = """
        [...document.querySelectorAll("button.model .name")].map((name) => name.textContent)
        """
      #expect(
        try await page.value(names).array?.compactMap(\.string) == (1...30).map { "Model \($0)" })
      let isInView = """
        (() => {
          const [list, item] = ["#models", "button.model[aria-current]"].map((selector) =>
            document.querySelector(selector).getBoundingClientRect());
          const bottom = Math.min(list.bottom, innerHeight);
          return item.top >= list.top - 1 && item.bottom <= bottom + 1;
        })()
        """
      #expect(try await page.value(isInView).bool == true)
      try await page.value("location.hash = '#/m2/about'")
      try await page.waitFor("Model 2", in: "h1")
      #expect(try await page.value(isInView).bool == true)
    }

    @Test func `Messages keep the names of files as they are`() async throws {
      let page = try await PageVisit()
      let messages = """
        import("/studio/api.js").then(({ asSentence }) =>
          ["model.json:1:2: unknown key", "torn.png: cut off", "the image is corrupt", "'x' fails"]
            .map(asSentence))
        """
      #expect(
        try await page.value(messages).array?.compactMap(\.string) == [
          "model.json:1:2: unknown key.", "torn.png: cut off.", "The image is corrupt.",
          "'x' fails.",
        ])
    }

    @Test func `Tasks have the names of the field`() async throws {
      let page = try await PageVisit()
      let titles = """
        import("/studio/format.js").then(({ taskTitle }) =>
          ["image.classification.digits", "detection", "image.detection.faces",
           "regression.diabetes"].map(taskTitle))
        """
      #expect(
        try await page.value(titles).array?.compactMap(\.string) == [
          "Classification", "Detection", "Detection", "Regression",
        ])
    }
  }
}
