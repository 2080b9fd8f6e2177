import Dispatch
import Synchronization
import TensorIOSystem

/// Memory that requests share, for what they send, what is made of it, and what waits to be sent to clients.
///
/// Each request holds a ``MemoryReservation``, which grows before memory is allocated. Work that can wait for its part
/// does, in order; background work can reserve three quarters only, so that it does not delay other requests.
///
/// The size follows the memory that is free: models that are opened and workers that grow leave less to requests.
package final class MemoryBudget: Sendable {
  fileprivate struct Waiter {
    let bytes: Int
    let isBackground: Bool
    /// Called once, outside of the lock: whether the memory is reserved.
    let completion: @Sendable (Bool) -> Void
  }

  fileprivate struct State {
    var usedBytes = 0
    var backgroundBytes = 0
    var foreground = WaitQueue<Waiter>()
    var background = WaitQueue<Waiter>()
    /// The size of the budget at present.
    var byteCount: Int
    /// The free memory when no request held any, as far as it is known.
    var idleFreeBytes: Int?
    var nextMeasurement = ContinuousClock.now
    /// The bytes released since the process last returned freed memory to the system.
    var releasedBytes = 0
    var isReturningMemory = false
  }

  /// The largest size of the budget, in bytes.
  private let maxByteCount: Int
  /// Returns the memory that the process may use in addition; `nil` for a budget of constant size.
  private let freeMemory: (@Sendable () -> Int?)?
  private let state: Mutex<State>
  private let timers = DispatchQueue(label: "tensorio.memory-timers")

  /// The smallest size of a budget that follows the free memory: ordinary requests are answered while there is any.
  private static let minByteCount = 4 << 20
  /// The largest default budget.
  private static let maxDefaultByteCount = 2 << 30
  /// The largest reservation for which the free memory is not measured, and which may use the part of the budget that
  /// others leave: ordinary requests are answered while large ones hold the rest.
  static let maxSmallByteCount = 64 << 10
  /// The part of the budget that is left to small reservations.
  private static let smallShare = 8
  /// The part of the budget that incomplete requests leave to those that are complete.
  private static let receivingShare = 2
  /// The interval at which the free memory is measured.
  private static let measurementInterval = Duration.milliseconds(20)
  /// The released bytes after which freed memory is returned to the system.
  private static let maxKeptByteCount = 16 << 20

  /// Half of the memory that the machine or the container has, at most 2 GiB.
  package static var defaultByteCount: Int {
    min(Platform.availableMemory / 2, maxDefaultByteCount)
  }

  /// Creates a budget of a constant size.
  package init(byteCount: Int) {
    (maxByteCount, freeMemory) = (max(1, byteCount), nil)
    state = Mutex(State(byteCount: max(1, byteCount)))
  }

  /// Creates a budget that follows the free memory.
  ///
  /// - Parameters:
  ///   - maxByteCount: The largest size.
  ///   - freeMemory: Returns the memory that the process may use in addition to what it uses.
  package init(maxByteCount: Int, freeMemory: @escaping @Sendable () -> Int?) {
    (self.maxByteCount, self.freeMemory) = (max(1, maxByteCount), freeMemory)
    state = Mutex(State(byteCount: max(1, maxByteCount)))
  }

  /// Creates the budget of a server: half of the memory of the machine or the container, or less if less is free.
  package static func ofServer() -> MemoryBudget {
    MemoryBudget(maxByteCount: defaultByteCount) { Platform.freeMemory }
  }

  /// A budget without a limit.
  static let unlimited = MemoryBudget(byteCount: .max / 2)

  /// The size of the budget at present, in bytes.
  package var byteCount: Int {
    measureIfDue()
    return state.withLock(\.byteCount)
  }

  /// The bytes that are reserved.
  package var usedBytes: Int { state.withLock { $0.usedBytes } }

  /// The number of reservations that wait.
  var waiterCount: Int { state.withLock { $0.foreground.count + $0.background.count } }

  /// The largest reservation that can succeed.
  package func maxBytes(isBackground: Bool) -> Int {
    Self.maxBytes(isBackground: isBackground, of: byteCount)
  }

  fileprivate static func maxBytes(isBackground: Bool, of byteCount: Int) -> Int {
    isBackground ? byteCount - byteCount / 4 : byteCount
  }

  /// Reserves bytes, and waits for them on the calling thread until a deadline.
  ///
  /// Returns false if the deadline passed, or if the budget is too small.
  func reserve(
    _ bytes: Int, isBackground: Bool, until deadline: ContinuousClock.Instant
  ) -> Bool {
    let done = DispatchSemaphore(value: 0)
    let isReserved = Atomic(false)
    reserve(bytes, isBackground: isBackground, until: deadline) { result in
      isReserved.store(result, ordering: .releasing)
      done.signal()
    }
    done.wait()
    return isReserved.load(ordering: .acquiring)
  }

  /// Reserves bytes if they are available and no other reservation waits for them.
  func reserveImmediately(_ bytes: Int, isBackground: Bool) -> Bool {
    measureIfDue()
    return state.withLock { $0.take(bytes, isBackground: isBackground) }
  }

  /// Reserves bytes and calls `completion` once: at once, when they are available, or at the
  /// deadline.
  func reserve(
    _ bytes: Int, isBackground: Bool, until deadline: ContinuousClock.Instant,
    completion: @escaping @Sendable (Bool) -> Void
  ) {
    guard bytes <= maxBytes(isBackground: isBackground) else { return completion(false) }
    let ticket: WaitQueue<Waiter>.Ticket? = state.withLock { state in
      guard !state.take(bytes, isBackground: isBackground) else { return nil }
      let waiter = Waiter(bytes: bytes, isBackground: isBackground, completion: completion)
      return isBackground ? state.background.append(waiter) : state.foreground.append(waiter)
    }
    guard let ticket else { return completion(true) }
    let milliseconds = max(0, ContinuousClock.now.duration(to: deadline).wholeMilliseconds)
    timers.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in
      self?.abandon(ticket, isBackground: isBackground)
    }
  }

  /// Ends the wait for a reservation that has not been served.
  private func abandon(_ ticket: WaitQueue<Waiter>.Ticket, isBackground: Bool) {
    let (abandoned, served): (Waiter?, [Waiter]) = state.withLock { state in
      let waiter = isBackground ? state.background.remove(ticket) : state.foreground.remove(ticket)
      return waiter.map { ($0, state.serveWaiters()) } ?? (nil, [])
    }
    abandoned?.completion(false)
    for waiter in served { waiter.completion(true) }
  }

  /// Releases reserved bytes.
  func release(_ bytes: Int, isBackground: Bool) {
    guard bytes > 0 else { return }
    let (served, returnsMemory): ([Waiter], Bool) = state.withLock { state in
      state.usedBytes -= bytes
      if isBackground { state.backgroundBytes -= bytes }
      return (state.serveWaiters(), beginReturningMemory(bytes, &state))
    }
    for waiter in served { waiter.completion(true) }
    if returnsMemory { timers.async { [weak self] in self?.returnMemory() } }
  }
}

extension MemoryBudget.State {
  /// The largest number of bytes that can be taken at present.
  private func room(isBackground: Bool) -> Int {
    let free = byteCount - usedBytes
    guard isBackground else { return free }
    return min(free, MemoryBudget.maxBytes(isBackground: true, of: byteCount) - backgroundBytes)
  }

  /// Takes bytes, if they are available and no other work waits for them; returns whether it did.
  fileprivate mutating func take(_ bytes: Int, isBackground: Bool) -> Bool {
    guard isBackground ? background.isEmpty : foreground.isEmpty,
      bytes <= room(isBackground: isBackground)
    else { return false }
    add(bytes, isBackground: isBackground)
    return true
  }

  /// Counts bytes.
  fileprivate mutating func add(_ bytes: Int, isBackground: Bool) {
    usedBytes += bytes
    if isBackground { backgroundBytes += bytes }
  }

  /// Removes and returns the first waiters of both kinds, foreground first, as long as they fit.
  fileprivate mutating func serveWaiters() -> [MemoryBudget.Waiter] {
    var served: [MemoryBudget.Waiter] = []
    while let waiter = popFirst(isBackground: false) ?? popFirst(isBackground: true) {
      add(waiter.bytes, isBackground: waiter.isBackground)
      served.append(waiter)
    }
    return served
  }

  private mutating func popFirst(isBackground: Bool) -> MemoryBudget.Waiter? {
    let room = room(isBackground: isBackground)
    return isBackground
      ? background.popFirst { $0.bytes <= room } : foreground.popFirst { $0.bytes <= room }
  }
}

// MARK: Growth

extension MemoryBudget {
  /// What memory is for, which decides how much of the budget it leaves to others.
  package enum Use: Sendable {
    /// Bytes of requests that are not complete yet: they leave half of the budget to those that are.
    case receiving
    case working
  }

  /// The result of an attempt to reserve more memory.
  enum Growth: Equatable {
    case granted
    /// Others hold the memory.
    case exhausted
    /// The reservation could not become this large if it were the only one.
    case tooLarge(max: Int)
  }

  /// Returns the largest size of a reservation that has a number of bytes with those that are added.
  func maxBytes(for use: Use, total bytes: Int) -> Int {
    if bytes > Self.maxSmallByteCount { measureIfDue() }
    return state.withLock { Self.maxBytes(for: use, total: bytes, of: $0.byteCount) }
  }

  private static func maxBytes(for use: Use, total bytes: Int, of byteCount: Int) -> Int {
    guard bytes > maxSmallByteCount else { return byteCount }
    return byteCount - byteCount / (use == .receiving ? receivingShare : smallShare)
  }

  /// Adds bytes to a reservation at once, or not at all.
  func grow(from heldBytes: Int, by bytes: Int, for use: Use, isBackground: Bool) -> Growth {
    guard bytes > 0 else { return .granted }
    let total = heldBytes + bytes
    if total > Self.maxSmallByteCount { measureIfDue() }
    return state.withLock { state in
      let max = Self.maxBytes(for: use, total: total, of: state.byteCount)
      guard total <= max else { return .tooLarge(max: max) }
      guard state.usedBytes + bytes <= max else { return .exhausted }
      state.add(bytes, isBackground: isBackground)
      return .granted
    }
  }

  /// Counts bytes that have been allocated, whether or not they fit.
  func take(_ bytes: Int, isBackground: Bool) {
    state.withLock { $0.add(bytes, isBackground: isBackground) }
  }
}

// MARK: The memory of the process

extension MemoryBudget {
  /// Adapts the size to the memory that is free.
  ///
  /// What requests have reserved may have been allocated or not. The free memory without requests is therefore known
  /// while there are none; later, it can only be found to be less.
  private func measureIfDue() {
    guard let freeMemory else { return }
    let isDue = state.withLock { state in
      guard ContinuousClock.now >= state.nextMeasurement else { return false }
      state.nextMeasurement = .now + Self.measurementInterval
      return true
    }
    guard isDue, let free = freeMemory() else { return }
    state.withLock { state in
      let idle = free + state.usedBytes
      let known = state.idleFreeBytes ?? idle
      // Memory that models release is noticed slowly while there are always requests.
      state.idleFreeBytes =
        state.usedBytes == 0 || idle < known ? idle : known + (idle - known) / 64
      // A third is left to what is not counted, such as buffers of the system and memory that is freed and not returned.
      let share = max(Self.minByteCount, (state.idleFreeBytes ?? idle) / 3 * 2)
      state.byteCount = min(maxByteCount, share)
    }
  }

  /// Whether to return freed memory to the system, which the C library keeps otherwise.
  private func beginReturningMemory(_ bytes: Int, _ state: inout State) -> Bool {
    guard freeMemory != nil else { return false }
    state.releasedBytes += bytes
    guard state.releasedBytes >= Self.maxKeptByteCount, !state.isReturningMemory else {
      return false
    }
    (state.releasedBytes, state.isReturningMemory) = (0, true)
    return true
  }

  private func returnMemory() {
    Platform.returnFreeMemory()
    state.withLock { $0.isReturningMemory = false }
  }
}
