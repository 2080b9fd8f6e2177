import Foundation
import TensorIOTestSupport
import Testing

/// The address of the site that is served.
private let servedSite = ProcessInfo.processInfo.environment["TENSORIO_DOCUMENTATION_SITE"]

/// Tests of the documentation of `make docs` in a browser. `Scripts/check/site` serves the files and runs them.
@Suite(
  .serialized,
  .enabled(
    if: servedSite != nil && InstalledBrowser.path != nil,
    "Scripts/check/site runs these tests"),
  .hangGuard)
struct DocumentationSiteTests {
  private func visit(_ path: String) async throws -> PageVisit {
    try await PageVisit(of: #require(servedSite), path: path)
  }

  @Test func `Links lead from the first page to a library, a type and a function`() async throws {
    let page = try await visit("/")
    try await page.waitFor("TensorIO", in: "main h1")
    #expect(try await page.value("location.pathname").string == "/documentation/")
    for (link, title, path) in [
      ("TensorIOData", "TensorIOData", "/documentation/tensoriodata/"),
      ("ExampleDataset", "ExampleDataset", "/documentation/tensoriodata/exampledataset/"),
      ("init(at:", "init(at:for:labels:)", nil),
    ] {
      try await page.click("main a", link)
      try await page.waitFor(title, in: "main h1")
      if let path {
        #expect(try await page.value("location.pathname").string.map(Self.folder) == path)
      }
    }
    try await page.value("history.back()")
    try await page.waitFor("ExampleDataset", in: "main h1")
    page.expectNoErrors()
  }

  @Test func `The navigator shows the pages of a library, and filters them`() async throws {
    let page = try await visit("/documentation/tensorio/")
    // The scrolling list keeps items outside of the window.
    let items = """
      [...document.querySelectorAll(".navigator-card-item")].filter(
        (each) => each.getBoundingClientRect().top > 0 && each.innerText.trim()).map((each) => each.innerText)
      """
    try await page.waitFor("\(items).length > 10")
    try await page.type("ModelStream", into: ".navigator .filter__input")
    try await page.waitFor(
      "\(items).length < 10 && \(items).some((each) => each.includes('ModelStream'))")
    try await page.click(".navigator-card-item a", "ModelStream")
    try await page.waitFor("ModelStream", in: "main h1")
    page.expectNoErrors()
  }

  @Test func `The search finds a function and opens its page`() async throws {
    let page = try await visit("/documentation/tensorio/model/")
    try await page.waitFor("Model", in: "main h1")
    try await page.waitFor("document.querySelector('.navigator-card-item')")
    try await page.click(".quick-navigation-open")
    try await page.waitFor("document.querySelector('.quick-navigation .filter__input')")
    try await page.type("predictionModel", into: ".quick-navigation .filter__input")
    try await page.click(".quick-navigation__match-list a", "predictionModel")
    try await page.waitFor("predictionModel", in: "main h1")
    page.expectNoErrors()
  }

  @Test func `An article shows its headings, code and images`() async throws {
    let page = try await visit("/documentation/tensorio/training-article/")
    try await page.waitFor("Training", in: "main h1")
    try await page.waitFor("let trainer = Trainer(", in: "main pre")
    #expect(try await page.count("main h2") > 5)
    try await page.open("/documentation/tensorio/reports-article/")
    try await page.waitFor(
      "[...document.querySelectorAll('main img')].some((image) => image.naturalWidth > 0)")
    page.expectNoErrors()
  }

  @Test(arguments: [
    ("classify", "NameDigits-5.swift"), ("stream", "DrawShapes-5.swift"),
    ("train", "LearnDigits-5.swift"),
  ])
  func `A tutorial shows its listings`(_ name: String, _ listing: String) async throws {
    let page = try await visit("/tutorials/meet-tensorio/")
    try await page.click("main a[href*='/tutorials/tensorio/\(name)']")
    try await page.waitFor("document.querySelector('.steps pre, .code-listing')")
    let path = "Sources/Bindings/TensorIO/TensorIO.docc/Tutorials/\(name.capitalized)/\(listing)"
    let lines = try String(contentsOfFile: ProjectFiles.path(path), encoding: .utf8)
      .split(separator: "\n").map { String($0).trimmingCharacters(in: .whitespaces) }
    // The page shows the listing of a step when the step is in view.
    try await page.value(
      "[...document.querySelectorAll('.step')].at(-2).scrollIntoView({ block: 'center' })")
    let shown = "document.querySelector('main').textContent"
    for line in lines { try await page.waitFor("\(shown).includes(\(line.script))") }
    page.expectNoErrors()
  }

  @Test func `No link leads nowhere`() async throws {
    let page = try await visit("/documentation/")
    try await page.waitFor("TensorIO", in: "main h1")
    try await page.value(Self.crawler)
    try await page.waitFor("window.crawl.isDone")
    #expect(try await page.value("window.crawl.broken.join(' ')").string == "")
    let count = try await page.value("window.crawl.pages.size").number ?? 0
    #expect(count > 2000)
    page.expectNoErrors()
  }

  /// Visits the data of all pages, as the scripts of the site do, and everything that they refer to.
  private static let crawler = """
    window.crawl = { pages: new Set(), files: new Set(), broken: [], isDone: false };
    (async () => {
      const { pages, files, broken } = window.crawl;
      const headings = (value, found = new Set()) => {
        if (value && typeof value === "object") {
          if (typeof value.anchor === "string") found.add(value.anchor);
          for (const part of Object.values(value)) headings(part, found);
        }
        return found;
      };
      const anchors = new Map(), links = [];
      const read = async (page) => {
        const responses = await Promise.all([fetch("/data" + page + ".json"), fetch(page + "/")]);
        const wrong = responses.find((each) => !each.ok);
        if (wrong) { broken.push(wrong.url); return []; }
        const content = await responses[0].json();
        anchors.set(page, headings(content));
        return Object.values(content.references ?? {}).flatMap(
          (each) => [each.url, ...(each.variants ?? []).map((variant) => variant.url)]);
      };
      let next = ["/documentation", "/tutorials/meet-tensorio"];
      while (next.length > 0) {
        const some = next.splice(0, 40).filter((each) => !pages.has(each));
        for (const each of some) pages.add(each);
        for (const [index, urls] of (await Promise.all(some.map(read))).entries()) {
          for (const url of urls) {
            // Other sites, and chapters, which are headings of the table of contents.
            if (!url || /^[a-z]+:/.test(url) || /^[/]tutorials[/]meet-tensorio[/]/.test(url)) continue;
            const [path, anchor] = url.split("#");
            if (!/^[/](documentation|tutorials)[/]?/.test(path)) files.add(path);
            else if (!pages.has(path)) next.push(path);
            if (anchor) links.push([some[index], path, anchor]);
          }
        }
      }
      for (const file of files) if (!(await fetch(file)).ok) broken.push(file);
      for (const [page, path, anchor] of links) {
        const known = anchors.get(path);
        if (known && !known.has(anchor) && !known.has(decodeURIComponent(anchor)))
          broken.push(page + " to " + path + "#" + anchor);
      }
      window.crawl.isDone = true;
    })().catch((error) => { window.crawl.broken.push(String(error)); window.crawl.isDone = true; });
    0
    """

  private static func folder(_ path: String) -> String { path.hasSuffix("/") ? path : path + "/" }
}
