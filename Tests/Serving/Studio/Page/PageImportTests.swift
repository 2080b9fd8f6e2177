import Foundation
import TensorIOTestSupport
import Testing

extension StudioPageTests {
  /// Bundles dropped on the page.
  @Suite struct ImportTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func packed(_ bundle: String, as name: String) throws -> String {
      let path = "\(folder.path)/\(name).tiobundle.zip"
      let outcome = TestConsole.run(["pack", bundle, "-o", path, "--force"])
      #expect(outcome.exitCode == 0, "\(outcome)")
      return path
    }

    @Test func `A valid bundle is imported and can be tried`() async throws {
      let page = try await PageVisit("digits/try")
      try await page.drop([packed(StudioHarness.bundle("diabetes"), as: "diabetes")])
      try await page.waitFor("was imported and is ready", in: "#import")
      try await page.click("#import button", "Try it")
      try await page.waitFor("142.9", in: ".scalar-output")
      #expect(try await page.count("button.model") == 2)
      page.expectNoErrors()
    }

    @Test func `A bundle with the same name is replaced on request only`() async throws {
      let page = try await PageVisit("digits/try")
      let bundle = try packed(StudioHarness.bundle("diabetes"), as: "diabetes")
      try await page.drop([bundle])
      try await page.waitFor("was imported and is ready", in: "#import")
      try await page.click("#import [aria-label=Close]")
      try await page.drop([bundle])
      try await page.waitFor("The model already exists", in: "#import")
      try await page.click("#import button", "Replace")
      try await page.waitFor("was imported and is ready", in: "#import")
      page.expectNoErrors(except: ["status of 409"])
    }

    @Test func `An invalid bundle is rejected with all diagnostics`() async throws {
      let broken = try folder.copy(StudioHarness.bundle("digits"), as: "torn.tiobundle")
      _ = try folder.write(#"{"name": 1, "id": "torn"}"#, to: "torn.tiobundle/model.json")
      let zip = "\(folder.path)/torn.zip"
      try Zip.pack(broken, to: zip)
      let page = try await PageVisit("digits/try")
      try await page.drop([zip])
      try await page.waitFor("The bundle was not imported", in: "#import")
      try await page.waitFor("/inputs", in: ".diagnostics code")
      #expect(try await page.count(".diagnostics li") >= 8)
      #expect(try await page.text(".diagnostics li .badge") == "error")
      #expect(try await page.count("button.model") == 1)
      page.expectNoErrors(except: ["status of 422"])
    }

    @Test func `A model of the library is removed, and is compared with no more`() async throws {
      let page = try await PageVisit("digits/images", bundles: ["digits"])
      let options = "document.querySelectorAll('#view-images select option').length"
      try await page.waitFor("\(options) === 1")
      try await page.drop([
        packed(StudioHarness.bundle("digits-quantized"), as: "digits-quantized")
      ])
      try await page.waitFor("was imported and is ready", in: "#import")
      try await page.click("#import [aria-label=Close]")
      try await page.waitFor("\(options) === 2")
      #expect(try await page.count("#model-default button") == 1, "digits is not in the library")
      try await page.click("button.model", "quantized")
      try await page.click("#model-default button", "Remove")
      try await page.waitFor("cannot be undone", in: "#import")
      try await page.click("#import button", "Remove")
      try await page.waitFor("was removed", in: ".notification")
      try await page.waitFor("Handwritten digits", in: "h1")
      #expect(try await page.count("button.model") == 1)
      try await page.click("[role=tab]", "Images")
      try await page.waitFor("\(options) === 1")
      // The run of a sample may not have ended when its model is removed.
      page.expectNoErrors(except: ["status of 404"])
    }

    @Test func `A model without a bundle is reviewed before it is imported`() async throws {
      let model = "\(folder.path)/numerals.tflite"
      try FileManager.default.copyItem(
        atPath: StudioHarness.bundle("digits") + "/model.tflite", toPath: model)
      let page = try await PageVisit("diabetes/try", bundles: ["diabetes"])
      try await page.drop([model])
      try await page.waitFor("Guesses to review", in: "#import legend")
      #expect(try await page.count("#import fieldset .field input") > 0)
      let change = """
        (() => {
          const name = document.querySelector("#import form input");
          name.value = "Numerals";
          name.dispatchEvent(new Event("change"));
          return JSON.parse(document.querySelector("#import textarea").value).name;
        })()
        """
      #expect(try await page.value(change).string == "Numerals")
      // What the review makes invalid is rejected, and can be edited again.
      try await page.value(
        """
        (() => {
          const text = document.querySelector("#import textarea");
          text.value = text.value.replace('"outputs"', '"outcomes"');
        })()
        """)
      try await page.click("#import button", "Import")
      try await page.waitFor("The bundle was not imported", in: "#import")
      try await page.click("#import button", "Edit")
      try await page.value(
        """
        (() => {
          const text = document.querySelector("#import textarea");
          text.value = text.value.replace('"outcomes"', '"outputs"');
        })()
        """)
      try await page.click("#import button", "Import")
      try await page.waitFor("was imported and is ready", in: "#import")
      try await page.click("#import button", "Try it")
      try await page.waitFor("Numerals", in: "h1")
      try await page.drop([StudioPageTests.sample("digits/3-1.png")])
      try await page.waitFor("document.querySelector('.outputs .output')")
      page.expectNoErrors(except: ["status of 422"])
    }

    /// Enters a URL or name in the dialog of imports.
    private func download(_ source: String, _ page: PageVisit) async throws {
      if try await page.value("!document.querySelector('#import').open").bool == true {
        try await page.click("#open-import")
      }
      try await page.type(source, into: ".download-form input")
      try await page.click(".download-form button", "Download")
    }

    @Test func `A model is imported by its URL, after a review`() async throws {
      let server = try DownloadServer()
      let model = StudioHarness.bundle("digits") + "/model.tflite"
      server.set(
        Array(try Data(contentsOf: URL(filePath: model))), at: "numerals.tflite")
      let page = try await PageVisit(
        "diabetes/try", bundles: ["diabetes"], allowsPrivateDownloads: true)
      try await download(server.address("numerals.tflite"), page)
      try await page.waitFor("Guesses to review", in: "#import legend")
      try await page.click("#import button", "Import")
      try await page.waitFor("was imported and is ready", in: "#import")
      try await page.click("#import button", "Try it")
      try await page.waitFor("numerals", in: "h1")
      // The file of the first download is pinned.
      server.set(Array("other".utf8), at: "numerals.tflite")
      try await download(server.address("numerals.tflite"), page)
      try await page.waitFor("expected SHA-256", in: "#import .error-message")
      #expect(try await page.text("#import h2") == "The model was not downloaded")
      try await page.click("#import button", "Accept the new file")
      try await page.waitFor("The model was not downloaded", in: "#import h2")
      page.expectNoErrors()
    }

    @Test func `A download that is not permitted has a sentence`() async throws {
      let server = try DownloadServer()
      let page = try await PageVisit("diabetes/try", bundles: ["diabetes"])
      for (source, message) in [
        (
          server.address("a.zip"),
          "a private network, from which the server downloads nothing; --allow-private-downloads"
        ),
        ("ftp://example.org/a.zip", "is not an http or https URL"),
        ("a/b/c", "is neither a URL nor a name"),
      ] {
        try await download(source, page)
        try await page.waitFor(message, in: "#import .error-message")
        try await page.click("#import button", "Choose another model")
      }
      #expect(server.requestCount == 0)
      page.expectNoErrors()
    }

    @Test func `A bundle that cannot be loaded is listed with its error`() async throws {
      let page = try await PageVisit("", bundles: ["digits", "not-there"])
      try await page.waitFor("Cannot be loaded", in: "button.model .error")
      try await page.click("button.model", "Cannot be loaded")
      try await page.waitFor("This bundle cannot be loaded", in: "#view-about")
      try await page.waitFor("document.querySelector('#tab-try').hidden")
      page.expectNoErrors()
    }
  }
}
