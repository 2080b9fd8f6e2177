import Foundation
import Synchronization
import TensorIOTestSupport

/// A headless browser, controlled with the DevTools protocol over a pipe.
///
/// It has a temporary profile, a synthetic camera and a synthetic microphone. Its process ends on deinitialization.
final class Browser: Sendable {
  /// A failed command.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private struct State {
    var partialMessage: [UInt8] = []
    var responses: [Int: JSONTree] = [:]
    var events: [JSONTree] = []
    var lastID = 0
    var isClosed = false
  }

  /// The maximum duration of a command.
  private static let timeout = HangGuard.step

  private let process: BrowserProcess
  private let state = Mutex(State())
  private let session = Mutex<String?>(nil)

  /// Starts a browser with one empty page, whose microphone records a WAV file if one is given.
  init(at path: String, microphone: String? = nil) async throws {
    process = try BrowserProcess(path, microphone: microphone)
    let output = process.output
    Thread.detachNewThread { [weak self] in
      while case let bytes = output.availableData, !bytes.isEmpty { self?.receive(Array(bytes)) }
      self?.state.withLock { $0.isClosed = true }
    }
    let page = try await call("Target.createTarget", ["url": .string("about:blank")])
    let target: [String: JSONTree] = [
      "targetId": page["targetId"] ?? .null, "flatten": .bool(true),
    ]
    let attached = try await call("Target.attachToTarget", target)["sessionId"]?.string
    session.withLock { $0 = attached }
    for domain in ["Page", "Runtime", "Log", "Network", "DOM"] {
      try await call("\(domain).enable")
    }
  }

  /// The events of the page, in order.
  var events: [JSONTree] { state.withLock(\.events) }

  /// Sends a command and waits for its result.
  @discardableResult
  func call(_ method: String, _ parameters: [String: JSONTree] = [:]) async throws -> JSONTree {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    var message: [String: JSONTree] = [
      "id": .number(Double(id)), "method": .string(method), "params": .object(parameters),
    ]
    message["sessionId"] = session.withLock(\.self).map(JSONTree.string)
    try process.input.write(contentsOf: Data(JSONTree.object(message).text.utf8 + [0]))
    return try await response(to: id, method)
  }

  private func response(to id: Int, _ method: String) async throws -> JSONTree {
    let end = ContinuousClock.now + Self.timeout
    while ContinuousClock.now < end {
      let (response, isClosed) = state.withLock {
        ($0.responses.removeValue(forKey: id), $0.isClosed)
      }
      if let error = response?["error"] { throw Failure(description: "\(method): \(error.text)") }
      if let response { return response["result"] ?? .null }
      if isClosed { throw Failure(description: "\(method): the browser has exited") }
      try await Task.sleep(for: .milliseconds(2))
    }
    throw Failure(description: "\(method): no response")
  }

  /// Parses the browser's output: JSON documents, each followed by a NUL.
  private func receive(_ bytes: [UInt8]) {
    state.withLock { state in
      var parts = (state.partialMessage + bytes).split(
        separator: 0, omittingEmptySubsequences: false)
      state.partialMessage = parts.popLast().map(Array.init) ?? []
      for part in parts {
        guard let message = try? JSONTree(String(decoding: part, as: UTF8.self)) else { continue }
        if let id = message["id"]?.number.flatMap(Int.init(exactly:)) {
          state.responses[id] = message
        } else {
          state.events.append(message)
        }
      }
    }
  }
}
