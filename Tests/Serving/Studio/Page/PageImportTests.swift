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
