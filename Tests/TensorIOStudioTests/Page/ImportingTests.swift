import TensorIOTestSupport
import Testing

extension StudioPageTests {
  /// Bundles that are dropped on the page.
  @Suite struct Importing {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func packed(_ bundle: String, as name: String) throws -> String {
      let path = "\(folder.path)/\(name).tiobundle.zip"
      let outcome = TestConsole.run(["pack", bundle, "-o", path, "--force"])
      #expect(outcome.exitCode == 0, "\(outcome)")
      return path
    }

    @Test func `a good bundle is imported and can be tried`() async throws {
      let page = try await PageVisit("digits/try")
      try await page.drop([packed(StudioBench.bundle("diabetes"), as: "diabetes")])
      try await page.waitFor("is imported and ready", in: "#import")
      try await page.click("#import button", "Try it")
      try await page.waitFor("142.9", in: ".figure")
      #expect(try await page.count("button.model") == 2)
      page.expectPeace()
    }

    @Test func `a bundle of the same name is replaced only when that is wanted`() async throws {
      let page = try await PageVisit("digits/try")
      let bundle = try packed(StudioBench.bundle("diabetes"), as: "diabetes")
      try await page.drop([bundle])
      try await page.waitFor("is imported and ready", in: "#import")
      try await page.click("#import [aria-label=Close]")
      try await page.drop([bundle])
      try await page.waitFor("There is one already", in: "#import")
      try await page.click("#import button", "Replace it")
      try await page.waitFor("is imported and ready", in: "#import")
      page.expectPeace(besides: ["status of 409"])
    }

    @Test func `a broken bundle is refused with everything that is wrong`() async throws {
      let broken = try folder.copy(StudioBench.bundle("digits"), as: "torn.tiobundle")
      _ = try folder.write(#"{"name": 1, "id": "torn"}"#, to: "torn.tiobundle/model.json")
      let zip = "\(folder.path)/torn.zip"
      try Zip.pack(broken, to: zip)
      let page = try await PageVisit("digits/try")
      try await page.drop([zip])
      try await page.waitFor("Nothing was imported", in: "#import")
      try await page.waitFor("/inputs", in: ".problems code")
      #expect(try await page.count(".problems li") >= 8)
      #expect(try await page.text(".problems li .badge") == "error")
      #expect(try await page.count("button.model") == 1)
      page.expectPeace(besides: ["status of 422"])
    }

    @Test func `a bundle that cannot be opened stands in the list with its reason`() async throws {
      let page = try await PageVisit("", bundles: ["digits", "not-there"])
      try await page.waitFor("Cannot be opened", in: "button.model .bad")
      try await page.click("button.model", "Cannot be opened")
      try await page.waitFor("This bundle cannot be opened", in: "#view-about")
      try await page.waitFor("document.querySelector('#tab-try').hidden")
      page.expectPeace()
    }
  }
}
