/// Threads that run until the process exits or their work ends.
///
/// Dispatch has a limited number of threads, which permanent work would use up.
package enum PermanentThread {
  /// How the scheduler treats a thread.
  package enum Priority: Sendable {
    case normal
    /// Yields to normal threads when there are more runnable threads than processors.
    case background
  }

  /// The increment of the nice value of background threads.
  ///
  /// A thread with this value gets about a third of the time of a normal one. With a higher one, it would
  /// hardly run on a machine that is busy with other programs.
  private static let backgroundNiceness: Int32 = 5

  private final class Work {
    let priority: Priority
    let body: @Sendable () -> Void

    init(_ priority: Priority, _ body: @escaping @Sendable () -> Void) {
      (self.priority, self.body) = (priority, body)
    }
  }

  /// Starts a thread; returns false if the system has no resources for it.
  ///
  /// The corresponding C function is `pthread_create`.
  package static func start(
    _ priority: Priority = .normal, _ body: @escaping @Sendable () -> Void
  ) -> Bool {
    var attributes = pthread_attr_t()
    guard unsafe pthread_attr_init(&attributes) == 0 else { return false }
    defer { unsafe _ = pthread_attr_destroy(&attributes) }
    unsafe _ = pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    unsafe _ = pthread_attr_setstacksize(&attributes, stackBytes)
    let work = unsafe Unmanaged.passRetained(Work(priority, body))
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let status = unsafe pthread_create(&thread, &attributes, run, work.toOpaque())
    if status != 0 { unsafe work.release() }
    return status == 0
  }

  /// The stack size of a thread, in bytes; pages that are not used take no memory.
  private static let stackBytes = 8 << 20

  #if canImport(Darwin)
    private static let run: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = {
      unsafe perform($0)
    }
  #else
    private static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? =
      {
        unsafe perform($0)
      }
  #endif

  private static func perform(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument = unsafe argument else { return nil }
    let work = unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
    if work.priority == .background { lowerPriority() }
    work.body()
    return nil
  }

  /// Lowers the priority of the calling thread, where the system has priorities for threads.
  private static func lowerPriority() {
    #if os(Linux)
      // On Linux, 0 is the calling thread, not the process.
      _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, backgroundNiceness)
    #elseif canImport(Darwin)
      _ = pthread_set_qos_class_self_np(QOS_CLASS_BACKGROUND, 0)
    #endif
  }
}
