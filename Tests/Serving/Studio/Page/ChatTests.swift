import Foundation
import TensorIOTestSupport
import Testing

extension StudioPageTests {
  /// Conversations with a decoder that writes bytes without sense, the same for the same seed.
  @Suite struct ChatTests {
    static let bundle = ProjectFiles.path(
      "Tests/Fixtures/Bundles/decoder-growing.tiobundle")
    private static let isDone =
      "document.querySelector('.chat-log').getAttribute('aria-busy') === 'false'"
    private static let answers =
      "[...document.querySelectorAll('.assistant .chat-text')].map((each) => each.textContent)"

    private func page(_ bundle: String = bundle) async throws -> PageVisit {
      let page = try await PageVisit("decoder-growing/try", bundles: [bundle, "digits"])
      try await page.waitFor("document.querySelector('.chat-form')")
      return page
    }

    private func send(_ text: String, _ page: PageVisit) async throws {
      try await page.value(
        """
        (() => {
          const field = document.querySelector(".chat-form textarea");
          field.value = "\(text)";
          field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
        })()
        """)
    }

    private func setOption(_ title: String, _ value: String, _ page: PageVisit) async throws {
      try await page.value(
        """
        (() => {
          const label = [...document.querySelectorAll(".chat-options label")].find((each) => each.textContent === "\(title)");
          document.getElementById(label.htmlFor).value = "\(value)";
        })()
        """)
    }

    @Test func `An answer is written, and its tokens have probabilities`() async throws {
      let page = try await page()
      try await setOption("Tokens at most", "8", page)
      try await send("hello", page)
      try await page.waitFor("8 tokens", in: ".assistant .fine-print")
      try await page.waitFor(Self.isDone)
      #expect(try await page.text(".user .chat-text") == "hello")
      #expect(try await page.text(".assistant .fine-print").contains("cut at the limit"))
      let isWhole =
        "[...document.querySelectorAll('.assistant .token')].map((each) => each.textContent).join('')"
        + " === document.querySelector('.assistant .chat-text').textContent"
      #expect(try await page.value(isWhole).bool == true)
      try await page.value(
        "document.querySelector('.token').dispatchEvent(new PointerEvent('pointerover', { bubbles: true }))"
      )
      try await page.waitFor("document.querySelectorAll('.token-choices li').length >= 5")
      #expect(try await page.text(".token-choices .score").hasSuffix("%"))
      page.expectNoErrors()
    }

    @Test func `The model reads the conversation so far, and forgets it on request`() async throws {
      let page = try await page()
      for (title, value) in [("Tokens at most", "6"), ("Seed", "1"), ("Temperature", "0")] {
        try await setOption(title, value, page)
      }
      for count in 1...2 {
        try await send("hello", page)
        try await page.waitFor(
          "document.querySelectorAll('.assistant').length === \(count) && \(Self.isDone)")
      }
      let texts = try #require(try await page.value(Self.answers).array?.map(\.string))
      #expect(texts.count == 2 && texts[0] != texts[1])
      try await page.click(".chat-form button", "New conversation")
      try await page.waitFor("Write a message", in: ".chat-log")
      try await send("hello", page)
      try await page.waitFor(
        "document.querySelectorAll('.assistant').length === 1 && \(Self.isDone)")
      #expect(try await page.value(Self.answers).array?.map(\.string) == [texts[0]])
      page.expectNoErrors()
    }

    @Test func `An error is shown below what was sent, which is not remembered`() async throws {
      let page = try await page()
      try await setOption("Temperature", "-1", page)
      try await send("hello", page)
      try await page.waitFor("temperature", in: ".assistant .error-message")
      try await page.waitFor(Self.isDone)
      try await setOption("Temperature", "0", page)
      try await setOption("Tokens at most", "4", page)
      try await send("again", page)
      try await page.waitFor("4 tokens", in: ".assistant:last-child .fine-print")
    }

    @Test func `A conversation stays while another model is tried`() async throws {
      let page = try await page()
      try await setOption("Tokens at most", "4", page)
      try await send("hello", page)
      try await page.waitFor("4 tokens", in: ".assistant .fine-print")
      try await page.click("button.model", "Handwritten digits")
      try await page.waitFor("document.querySelector('.score-bars li')")
      try await page.click("button.model", "Decoder with a growing cache")
      try await page.waitFor("hello", in: ".user .chat-text")
      page.expectNoErrors()
    }

    @Test func `A model without a template continues a text`() async throws {
      let folder = try TemporaryFolder()
      let bundle = folder.path + "/decoder-growing.tiobundle"
      try FileManager.default.copyItem(atPath: Self.bundle, toPath: bundle)
      let file = bundle + "/model.json"
      let description = try String(contentsOfFile: file, encoding: .utf8)
      let changed = description.replacingOccurrences(
        of: #""template": "template.jinja","#, with: "")
      #expect(changed != description)
      try changed.write(toFile: file, atomically: true, encoding: .utf8)
      let page = try await page(bundle)
      try await page.waitFor("continues the text", in: ".chat-log")
      try await setOption("Tokens at most", "5", page)
      try await send("abc", page)
      try await page.waitFor("5 tokens", in: ".assistant .fine-print")
      #expect(try await page.count(".assistant .token") > 0)
      page.expectNoErrors()
    }
  }
}
