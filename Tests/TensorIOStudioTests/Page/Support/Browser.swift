import Foundation
import Synchronization
import TensorIOTestSupport

/// A browser without a window that does what it is told over its own pipe, for a while.
///
/// It gets a profile of its own and a camera that shows a drawing. With the value its process ends.
final class Browser: Sendable {
  /// What a browser did not do.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private struct Mail {
    var rest: [UInt8] = []
    var answers: [Int: JSONTree] = [:]
    var events: [JSONTree] = []
    var calls = 0
    var isOver = false
  }

  /// How long one call may take.
  private static let patience = Duration.seconds(30)

  private let process: BrowserProcess
  private let mail = Mutex(Mail())
  private let session = Mutex<String?>(nil)

  /// Starts a browser with one empty page.
  init(at path: String) async throws {
    process = try BrowserProcess(path)
    let output = process.output
    Thread.detachNewThread { [weak self] in
      while case let bytes = output.availableData, !bytes.isEmpty { self?.take(Array(bytes)) }
      self?.mail.withLock { $0.isOver = true }
    }
    let page = try await call("Target.createTarget", ["url": .string("about:blank")])
    let place: [String: JSONTree] = ["targetId": page["targetId"] ?? .null, "flatten": .bool(true)]
    let attached = try await call("Target.attachToTarget", place)["sessionId"]?.string
    session.withLock { $0 = attached }
    for domain in ["Page", "Runtime", "Log", "Network", "DOM"] {
      try await call("\(domain).enable")
    }
  }

  /// What has happened on the page, in order.
  var events: [JSONTree] { mail.withLock(\.events) }

  /// Tells the browser to do something, and waits until it has.
  @discardableResult
  func call(_ method: String, _ parameters: [String: JSONTree] = [:]) async throws -> JSONTree {
    let id = mail.withLock { mail in
      mail.calls += 1
      return mail.calls
    }
    var message: [String: JSONTree] = [
      "id": .number(Double(id)), "method": .string(method), "params": .object(parameters),
    ]
    message["sessionId"] = session.withLock(\.self).map(JSONTree.string)
    try process.input.write(contentsOf: Data(JSONTree.object(message).text.utf8 + [0]))
    return try await answer(to: id, method)
  }

  private func answer(to id: Int, _ method: String) async throws -> JSONTree {
    let end = ContinuousClock.now + Self.patience
    while ContinuousClock.now < end {
      let (answer, isOver) = mail.withLock { ($0.answers.removeValue(forKey: id), $0.isOver) }
      if let error = answer?["error"] { throw Failure(description: "\(method): \(error.text)") }
      if let answer { return answer["result"] ?? .null }
      if isOver { throw Failure(description: "\(method): the browser has ended") }
      try await Task.sleep(for: .milliseconds(2))
    }
    throw Failure(description: "\(method): no answer")
  }

  /// Takes what the browser wrote: documents with a zero behind each.
  private func take(_ bytes: [UInt8]) {
    mail.withLock { mail in
      var parts = (mail.rest + bytes).split(separator: 0, omittingEmptySubsequences: false)
      mail.rest = parts.popLast().map(Array.init) ?? []
      for part in parts {
        guard let message = try? JSONTree(String(decoding: part, as: UTF8.self)) else { continue }
        if let id = message["id"]?.number.flatMap(Int.init(exactly:)) {
          mail.answers[id] = message
        } else {
          mail.events.append(message)
        }
      }
    }
  }
}
