internal import Synchronization

/// What is opened when it is first needed, and then shared by all copies of a backend.
///
/// A first attempt that fails is no last one: the next may find what was missing.
package final class OpenedOnce<Opened: Sendable>: Sendable {
  private let opened = Mutex<Opened?>(nil)

  package init() {}

  /// What was opened, or is opened now.
  package func get(
    _ open: () throws(ModelError) -> Opened
  ) throws(ModelError) -> Opened {
    try opened.withLock { (opened) throws(ModelError) in
      let value = if let opened { opened } else { try open() }
      opened = value
      return value
    }
  }
}
