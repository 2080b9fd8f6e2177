import Foundation
import TensorIOTestSupport
import Testing

/// The studio's page, or one of another server, open in a browser.
struct PageVisit {
  /// The server of the studio; another server has no value.
  let server: PageServer?
  let browser: Browser
  /// The address of the server, without a slash at the end.
  private let origin: String

  /// Opens the page of a studio with the given models, at an address such as "digits/try".
  init(
    _ address: String = "", bundles: [String] = ["digits"], data: [String] = [],
    width: Int = 1280, height: Int = 900, isDark: Bool = false, arguments: [String] = [],
    allowsPrivateDownloads: Bool = false, microphone: String? = nil
  ) async throws {
    let server = try PageServer(
      bundles, data: data, arguments: arguments, allowsPrivateDownloads: allowsPrivateDownloads)
    self.server = server
    origin = server.address
    browser = try await Browser(at: #require(InstalledBrowser.path), microphone: microphone)
    try await setSize(width, height)
    try await setColorScheme(isDark: isDark)
    try await browser.call("Page.navigate", ["url": .string("\(origin)/#/\(address)")])
    try await waitFor("document.querySelector('[role=tab][aria-selected=true]')")
  }

  /// Opens a page of another server.
  init(of origin: String, path: String) async throws {
    server = nil
    self.origin = origin
    browser = try await Browser(at: #require(InstalledBrowser.path))
    try await setSize(1400, 1000)
    try await setColorScheme(isDark: false)
    try await open(path)
  }

  /// Opens another page of the server.
  func open(_ path: String) async throws {
    try await browser.call("Page.navigate", ["url": .string(origin + path)])
  }

  func setSize(_ width: Int, _ height: Int) async throws {
    try await browser.call(
      "Emulation.setDeviceMetricsOverride",
      [
        "width": .number(Double(width)), "height": .number(Double(height)),
        "deviceScaleFactor": .number(1), "mobile": .bool(width < 500),
      ])
  }

  func setColorScheme(isDark: Bool) async throws {
    let feature: [String: JSONTree] = [
      "name": .string("prefers-color-scheme"), "value": .string(isDark ? "dark" : "light"),
    ]
    try await browser.call(
      "Emulation.setEmulatedMedia", ["features": .array([.object(feature)])])
  }
}

// MARK: Queries

extension PageVisit {
  /// Evaluates an expression on the page, awaiting a promise.
  @discardableResult
  func value(_ expression: String) async throws -> JSONTree {
    let response = try await browser.call(
      "Runtime.evaluate",
      [
        "expression": .string(expression), "awaitPromise": .bool(true),
        "returnByValue": .bool(true), "userGesture": .bool(true),
      ])
    if let details = response["exceptionDetails"] {
      throw Browser.Failure(
        description: "\(expression): \(details["exception"]?.text ?? details.text)")
    }
    return response["result"]?["value"] ?? .null
  }

  /// Returns the text of the first element that matches a selector.
  func text(_ selector: String) async throws -> String {
    try await value("document.querySelector(\(selector.script))?.textContent ?? ''").string ?? ""
  }

  /// Returns the number of elements that match a selector.
  func count(_ selector: String) async throws -> Int {
    let number = try await value("document.querySelectorAll(\(selector.script)).length").number
    return number.flatMap(Int.init(exactly:)) ?? 0
  }

  /// Waits until an expression is true; otherwise records an issue with the text of the page.
  func waitFor(
    _ expression: String, at location: SourceLocation = #_sourceLocation
  ) async throws {
    let end = ContinuousClock.now + HangGuard.step
    while ContinuousClock.now < end {
      if try await value("!!(\(expression))").bool == true { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    let text = try await value("document.body.innerText").string ?? ""
    Issue.record("\(expression) is not true; the page shows: \(text)", sourceLocation: location)
    throw Browser.Failure(description: expression)
  }

  /// Waits until an element that matches a selector contains a text.
  func waitFor(
    _ text: String, in selector: String, at location: SourceLocation = #_sourceLocation
  ) async throws {
    let elements = "[...document.querySelectorAll(\(selector.script))]"
    try await waitFor(
      "\(elements).some((each) => each.textContent.includes(\(text.script)))", at: location)
  }

  /// Returns a screenshot as a PNG file.
  func screenshot() async throws -> [UInt8] {
    let response = try await browser.call("Page.captureScreenshot", ["format": .string("png")])
    return Array(try #require(Data(base64Encoded: response["data"]?.string ?? "")))
  }
}

// MARK: Actions

extension PageVisit {
  /// Clicks on the first element that matches a selector and contains a text.
  func click(_ selector: String, _ text: String = "") async throws {
    let elements = "[...document.querySelectorAll(\(selector.script))]"
    let match = "\(elements).find((each) => each.textContent.includes(\(text.script)))"
    try await waitFor("\(match) && !\(match).disabled")
    try await value("\(match).click()")
  }

  /// Reloads the page, and waits until it is initialized.
  func reload() async throws {
    try await value("document.body.dataset.isStale = true")
    try await browser.call("Page.reload")
    try await waitFor(
      "!document.body?.dataset.isStale && document.querySelector('[role=tab][aria-selected=true]')")
  }

  /// Presses and releases a key, with modifiers as bits: 2 is Ctrl, 8 is Shift.
  func press(_ key: String, code: Int = 0, modifiers: Int = 0) async throws {
    var parameters: [String: JSONTree] = [
      "type": .string("keyDown"), "key": .string(key),
      "windowsVirtualKeyCode": .number(Double(code)), "modifiers": .number(Double(modifiers)),
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

  /// Clicks at a point of the page with the mouse.
  func clickAt(_ x: Double, _ y: Double) async throws { try await drag(from: (x, y), to: (x, y)) }

  /// Drags the mouse between two points of the page.
  func drag(from start: (Double, Double), to end: (Double, Double)) async throws {
    let middle = ((start.0 + end.0) / 2, (start.1 + end.1) / 2)
    for (type, point) in [
      ("mousePressed", start), ("mouseMoved", middle), ("mouseMoved", end), ("mouseReleased", end),
    ] {
      try await browser.call(
        "Input.dispatchMouseEvent",
        [
          "type": .string(type), "x": .number(point.0), "y": .number(point.1),
          "button": .string("left"), "buttons": .number(type == "mouseReleased" ? 0 : 1),
          "clickCount": .number(1),
        ])
    }
  }

  /// Replaces the text of an input.
  func type(_ text: String, into selector: String) async throws {
    try await waitFor("document.querySelector(\(selector.script))")
    try await value(
      """
      (() => {
        const input = document.querySelector(\(selector.script));
        input.focus();
        // Not the property of the element, which a framework may have replaced.
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(
          input, \(text.script));
        input.dispatchEvent(new Event("input", { bubbles: true }));
      })()
      """)
  }

  /// Drops files onto the page.
  func drop(_ paths: [String]) async throws {
    let files = try paths.map { path in
      let bytes = try Data(contentsOf: URL(filePath: path)).base64EncodedString()
      let name = URL(filePath: path).lastPathComponent
      let content = "Uint8Array.from(atob('\(bytes)'), (letter) => letter.charCodeAt(0))"
      return "new File([\(content)], \(name.script), { type: '\(Self.type(of: name))' })"
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
    case "wav": "audio/wav"
    case "mp4": "video/mp4"
    default: ""
    }
  }

  /// Selects files or a folder in a file input.
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

// MARK: Errors

extension PageVisit {
  /// Returns the errors of the page, except for expected ones.
  func errors(except expected: [String] = []) -> [String] {
    browser.events.compactMap(Self.error).filter { error in
      !expected.contains { error.contains($0) }
    }
  }

  private static func error(_ event: JSONTree) -> String? {
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

  /// The requests to other servers.
  var externalRequests: [String] {
    browser.events.filter { $0["method"]?.string == "Network.requestWillBeSent" }
      .compactMap { $0["params"]?["request"]?["url"]?.string }
      .filter { url in !["data:", "blob:", origin + "/"].contains { url.hasPrefix($0) } }
  }

  /// Checks that there were no errors and no requests to other servers.
  func expectNoErrors(
    except expected: [String] = [], at location: SourceLocation = #_sourceLocation
  ) {
    #expect(errors(except: expected) == [], sourceLocation: location)
    #expect(externalRequests == [], sourceLocation: location)
  }
}

extension String {
  /// The string as a JavaScript literal.
  var script: String { JSONTree.string(self).text }
}
