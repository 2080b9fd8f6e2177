import TensorIOTestSupport
import Testing

extension StudioPageTests {
  /// What a person tries a model with, and what the page then shows.
  @Suite struct Trying {
    @Test func `a model is chosen, a picture dropped, and its labels are shown`() async throws {
      let page = try await PageVisit("pencil/try", bundles: ["digits", "pencil"])
      try await page.click("button.model", "Handwritten digits")
      try await page.waitFor("Handwritten digits", in: "h1")
      try await page.drop([StudioPageTests.sample("digits/3-1.png")])
      try await page.waitFor("3", in: ".bars li:first-child .name")
      #expect(try await page.text(".bars li:first-child .score").contains("100"))
      #expect(try await page.count(".bars li") == 5)
      try await page.waitFor("3, 100 %", in: "#said")
      page.expectPeace()
    }

    @Test func `times of each stage are shown, last and on average`() async throws {
      let page = try await PageVisit("digits/try")
      try await page.waitFor("average of 1 run", in: ".timing")
      try await page.click(".thumb[title='1-1.png']")
      try await page.waitFor("average of 2 runs", in: ".timing")
      let all = "[...document.querySelectorAll('.times td.number')]"
      let cells = "\(all).map((one) => +one.textContent)"
      let times = try #require(try await page.value(cells).numbers)
      #expect(times.count == 10)
      #expect(times.allSatisfy { $0 >= 0 })
      page.expectPeace()
    }

    @Test func `boxes are drawn over the picture, and listed`() async throws {
      let page = try await PageVisit("shape-detector/try", bundles: ["shape-detector"])
      try await page.waitFor("document.querySelectorAll('.found li').length === 4")
      #expect(try await page.text(".found li:first-child .name") == "triangle")
      let drawn = """
        (() => {
          const canvas = document.querySelector(".marks");
          const dots = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
          return dots.filter((value, place) => place % 4 === 3 && value > 200).length;
        })()
        """
      #expect(try await page.value(drawn).number ?? 0 > 2000)
      page.expectPeace()
    }

    @Test func `a picture that a model makes is shown`() async throws {
      let page = try await PageVisit("pencil/try", bundles: ["pencil"])
      try await page.waitFor("document.querySelector('img.made')?.naturalWidth === 192")
      page.expectPeace()
    }

    @Test func `two models stand side by side on the same picture`() async throws {
      let page = try await PageVisit("digits/try", bundles: ["digits", "digits-quantized"])
      try await page.waitFor("document.querySelector('.bars li')")
      try await page.choose("digits-quantized", beside: "digits")
      try await page.drop([StudioPageTests.sample("digits/7-1.png")])
      for model in ["digits", "digits-quantized"] {
        try await page.waitFor("7", in: "[data-model='\(model)'] .bars li:first-child .name")
      }
      page.expectPeace()
    }

    @Test func `numbers are typed into a form`() async throws {
      let page = try await PageVisit("diabetes/try", bundles: ["diabetes"])
      try await page.waitFor("142.9", in: ".figure")
      #expect(try await page.count(".fields input") == 10)
      try await page.click(".chip", "patient-2")
      try await page.waitFor("178.8", in: ".figure")
      let type = """
        (() => {
          const field = document.querySelector(".fields input");
          field.value = "";
          field.dispatchEvent(new Event("input", { bubbles: true }));
        })()
        """
      try await page.value(type)
      try await page.waitFor("features 1 is not a number", in: ".problem")
      page.expectPeace()
    }

    @Test func `vectors are named and the nearest told`() async throws {
      let page = try await PageVisit("digits-embedder/try", bundles: ["digits-embedder"])
      try await page.waitFor("document.querySelector('.embedding .strip')")
      try await page.value("document.querySelector('.embedding input').value = 'naught'")
      try await page.click(".embedding button", "Keep")
      try await page.click(".thumb[title='0-2.png']")
      try await page.waitFor("the same", in: ".nearest")
      try await page.click(".thumb[title='1-1.png']")
      try await page.waitFor("another", in: ".nearest")
      page.expectPeace()
    }

    @Test func `what the model saw is shown channel by channel`() async throws {
      let page = try await PageVisit("shape-detector/try", bundles: ["shape-detector"])
      try await page.waitFor("document.querySelector('.found li')")
      try await page.click("#saw summary")
      try await page.waitFor("document.querySelectorAll('.channels img').length === 4")
      try await page.waitFor("fitted between bars", in: ".seen")
      try await page.waitFor("blue", in: ".channels b")
      page.expectPeace()
    }

    @Test func `what is no picture is told of in words`() async throws {
      let page = try await PageVisit("digits/try")
      let folder = try TemporaryFolder()
      try await page.waitFor("document.querySelector('.bars li')")
      try await page.drop([try folder.write("no picture at all", to: "torn.png")])
      try await page.waitFor("document.querySelector('.lane .problem:not([hidden])')")
      #expect(try await page.text(".lane .problem").contains("(status 4"))
      try await page.drop([try folder.write("words", to: "notes.txt")])
      try await page.waitFor("notes.txt is not a picture", in: ".notice")
      page.expectPeace(besides: ["status of 4"])
    }

    @Test func `a server that is gone is told of and asked again`() async throws {
      let page = try await PageVisit("digits/try")
      try await page.waitFor("document.querySelector('.bars li')")
      page.server.stop()
      try await page.waitFor(
        "fetch('/v2/health/live').then(() => false, () => true)")
      try await page.click(".thumb[title='1-1.png']")
      try await page.drop([StudioPageTests.sample("digits/3-1.png")])
      try await page.waitFor("The server does not answer", in: "#offline")
    }

    @Test func `labels given by hand are kept over a reload, and can be taken out`() async throws {
      let page = try await PageVisit("digits/try")
      try await page.drop([StudioPageTests.sample("digits/3-1.png")])
      try await page.waitFor("document.querySelector('.label-form input')?.value === '3'")
      try await page.value("document.querySelector('.label-form input').focus()")
      try await page.waitFor("document.querySelectorAll('.label-form option').length === 10")
      try await page.value("document.querySelector('.label-form input').value = '8'")
      try await page.click(".label-form button")
      try await page.waitFor("Kept: 8, not 3", in: ".label-form")
      try await page.browser.call("Page.reload")
      try await page.waitFor("document.querySelector('.bars li')")
      try await page.click("[role=tab]", "Labels")
      try await page.waitFor("document.querySelector('.labels input')?.value === '8'")
      try await page.waitFor("wrong", in: ".labels")
      page.expectPeace()
    }
  }
}

extension PageVisit {
  /// Puts another model beside the one that is chosen.
  fileprivate func choose(_ model: String, beside first: String) async throws {
    try await value(
      """
      (() => {
        const list = [...document.querySelectorAll(".options select")].at(-1);
        list.value = \(model.script);
        list.dispatchEvent(new Event("change"));
      })()
      """)
    try await waitFor("document.querySelectorAll('.lane').length === 2")
    try await waitFor("document.querySelectorAll('.lane .bars').length === 2")
  }
}
