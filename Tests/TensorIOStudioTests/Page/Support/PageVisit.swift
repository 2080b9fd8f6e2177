import Foundation
import TensorIOTestSupport
import Testing

/// Somebody who looks at the studio's page in a browser.
struct PageVisit {
  let server: PageServer
  let browser: Browser

  /// Opens the page with some models, at an address such as "digits/try".
  init(
    _ address: String = "", bundles: [String] = ["digits"], data: [String] = [],
    width: Int = 1280, height: Int = 900, isDark: Bool = false
  ) async throws {
    server = try PageServer(bundles, data: data)
    browser = try await Browser(at: #require(InstalledBrowser.path))
    try await size(width, height)
    try await paint(isDark: isDark)
    try await browser.call("Page.navigate", ["url": .string("\(server.address)/#/\(address)")])
    try await waitFor("document.querySelector('[role=tab][aria-selected=true]')")
  }

  func size(_ width: Int, _ height: Int) async throws {
    try await browser.call(
      "Emulation.setDeviceMetricsOverride",
      [
        "width": .number(Double(width)), "height": .number(Double(height)),
        "deviceScaleFactor": .number(1), "mobile": .bool(width < 500),
      ])
  }

  func paint(isDark: Bool) async throws {
    let wish: [String: JSONTree] = [
      "name": .string("prefers-color-scheme"), "value": .string(isDark ? "dark" : "light"),
    ]
    try await browser.call(
      "Emulation.setEmulatedMedia", ["features": .array([.object(wish)])])
  }
}

// MARK: Looking

extension PageVisit {
  /// What an expression comes to on the page; of a promise, what it is kept with.
  @discardableResult
  func value(_ expression: String) async throws -> JSONTree {
    let answer = try await browser.call(
      "Runtime.evaluate",
      [
        "expression": .string(expression), "awaitPromise": .bool(true),
        "returnByValue": .bool(true), "userGesture": .bool(true),
      ])
    if let fault = answer["exceptionDetails"] {
      throw Browser.Failure(description: "\(expression): \(fault["exception"]?.text ?? fault.text)")
    }
    return answer["result"]?["value"] ?? .null
  }

  /// The text of the first element that a selector finds.
  func text(_ selector: String) async throws -> String {
    try await value("document.querySelector(\(selector.script))?.textContent ?? ''").string ?? ""
  }

  /// How many elements a selector finds.
  func count(_ selector: String) async throws -> Int {
    let number = try await value("document.querySelectorAll(\(selector.script)).length").number
    return number.flatMap(Int.init(exactly:)) ?? 0
  }

  /// Waits until an expression is true; says what the page shows when it does not become so.
  func waitFor(
    _ expression: String, seconds: Double = 20, at place: SourceLocation = #_sourceLocation
  ) async throws {
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
      if try await value("!!(\(expression))").bool == true { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    let shown = try await value("document.body.innerText").string ?? ""
    Issue.record("\(expression) stays false; the page says: \(shown)", sourceLocation: place)
    throw Browser.Failure(description: expression)
  }

  /// Waits until an element has a text in it.
  func waitFor(
    _ text: String, in selector: String, at place: SourceLocation = #_sourceLocation
  ) async throws {
    let all = "[...document.querySelectorAll(\(selector.script))]"
    try await waitFor(
      "\(all).some((one) => one.textContent.includes(\(text.script)))", at: place)
  }

  /// A picture of what is shown, as a PNG file.
  func picture() async throws -> [UInt8] {
    let answer = try await browser.call("Page.captureScreenshot", ["format": .string("png")])
    return Array(try #require(Data(base64Encoded: answer["data"]?.string ?? "")))
  }
}

// MARK: Doing

extension PageVisit {
  /// Clicks on the first element that a selector finds and that has a text.
  func click(_ selector: String, _ text: String = "") async throws {
    let found = "[...document.querySelectorAll(\(selector.script))]"
    let one = "\(found).find((one) => one.textContent.includes(\(text.script)))"
    try await waitFor("\(one) && !\(one).disabled")
    try await value("\(one).click()")
  }

  /// Presses and lets go of a key.
  func press(_ key: String, code: Int = 0) async throws {
    var parameters: [String: JSONTree] = [
      "type": .string("keyDown"), "key": .string(key),
      "windowsVirtualKeyCode": .number(Double(code)),
    ]
    if key.count == 1 { parameters["text"] = .string(key) }
    if key == "Enter" { parameters["text"] = .string("\r") }
    try await browser.call("Input.dispatchKeyEvent", parameters)
    try await browser.call(
      "Input.dispatchKeyEvent",
      [
        "type": .string("keyUp"), "key": .string(key),
        "windowsVirtualKeyCode": .number(Double(code)),
      ])
  }

  /// Drops files onto the page.
  func drop(_ paths: [String]) async throws {
    let files = try paths.map { path in
      let bytes = try Data(contentsOf: URL(filePath: path)).base64EncodedString()
      let name = URL(filePath: path).lastPathComponent
      let bits = "Uint8Array.from(atob('\(bytes)'), (letter) => letter.charCodeAt(0))"
      return "new File([\(bits)], \(name.script), { type: '\(Self.type(of: name))' })"
    }
    try await value(
      """
      (() => {
        const dataTransfer = new DataTransfer();
        for (const file of [\(files.joined(separator: ","))]) dataTransfer.items.add(file);
        for (const kind of ["dragenter", "dragover", "drop"])
          document.querySelector("main").dispatchEvent(
            new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
      })()
      """)
  }

  private static func type(of name: String) -> String {
    switch name.split(separator: ".").last {
    case "zip": "application/zip"
    case "png": "image/png"
    case "jpg": "image/jpeg"
    default: ""
    }
  }

  /// Chooses files or a folder in a field for files.
  func choose(_ paths: [String], in selector: String) async throws {
    let object = try await browser.call(
      "Runtime.evaluate", ["expression": .string("document.querySelector(\(selector.script))")])
    try await browser.call(
      "DOM.setFileInputFiles",
      [
        "files": .array(paths.map(JSONTree.string)),
        "objectId": object["result"]?["objectId"] ?? .null,
      ])
  }
}

// MARK: Judging

extension PageVisit {
  /// What went wrong on the page, besides what is expected to.
  func problems(besides expected: [String] = []) -> [String] {
    browser.events.compactMap(Self.problem).filter { problem in
      !expected.contains { problem.contains($0) }
    }
  }

  private static func problem(_ event: JSONTree) -> String? {
    let details = event["params"]
    return switch event["method"]?.string {
    case "Runtime.exceptionThrown": details?.text
    case "Runtime.consoleAPICalled" where ["error", "warning"].contains(details?["type"]?.string):
      details?["args"]?.text
    case "Log.entryAdded" where details?["entry"]?["level"]?.string == "error":
      details?["entry"]?.text
    default: nil
    }
  }

  /// The addresses that were asked for and are not the studio's own.
  var strangers: [String] {
    browser.events.filter { $0["method"]?.string == "Network.requestWillBeSent" }
      .compactMap { $0["params"]?["request"]?["url"]?.string }
      .filter { url in !["data:", "blob:", server.address + "/"].contains { url.hasPrefix($0) } }
  }

  /// Checks that nothing went wrong in the background.
  func expectPeace(
    besides expected: [String] = [], at place: SourceLocation = #_sourceLocation
  ) {
    #expect(problems(besides: expected) == [], sourceLocation: place)
    #expect(strangers == [], sourceLocation: place)
  }
}

extension String {
  /// The text as a script writes it.
  var script: String { JSONTree.string(self).text }
}
