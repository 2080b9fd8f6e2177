package import TensorIOImage

/// The limits on the images of prediction requests.
///
/// Images are decoded in the server. Small files can declare large images, so their pixels and the
/// memory for decoding them are limited.
package struct PredictionLimits: Sendable {
  /// The maximum number of pixels of one image.
  package let maxPixels: Int
  /// The maximum number of pixels of all images of a request.
  package let maxRequestPixels: Int
  /// The memory for requests, which decoding and drawing images takes part of.
  package let memory: MemoryBudget
  /// The maximum time that an item waits for its share of the memory.
  package var memoryTimeout = Duration.seconds(10)

  /// The maximum number of pixels of a request's images, relative to those of one image.
  static let requestPixelFactor = 8
  /// The number of pixels above which decoding an image takes long enough to delay others.
  static let maxForegroundPixels = 1 << 23
  /// The number of items above which a request takes long enough to delay others.
  static let maxForegroundItems = 8
  /// The maximum side of an annotated image, in pixels.
  static let maxAnnotatedSide = 2048
  /// The memory for drawing and encoding one pixel of an annotated image, in bytes: the image, the
  /// canvas, and copies in other pixel formats.
  static let annotationBytesPerPixel = 24

  /// Creates limits; `nil` uses those of ``ImageLimits`` and the memory of the machine or container.
  package init(maxPixels: Int? = nil, memory: MemoryBudget? = nil) {
    self.maxPixels = maxPixels ?? ImageLimits.maxArea
    maxRequestPixels = Self.requestPixelFactor * self.maxPixels
    self.memory = memory ?? .ofServer()
  }

  /// The maximum side of an annotated image, for which half of the memory is sufficient.
  var maxAnnotatedSide: Int {
    let pixels = memory.byteCount / 2 / Self.annotationBytesPerPixel
    return max(64, min(Self.maxAnnotatedSide, Int(Double(pixels).squareRoot())))
  }
}

// MARK: Checks

extension PredictionLimits {
  /// Throws an error if an image has too many pixels.
  package func checkPixels(_ cost: ImageDecodingCost) throws(ClientError) {
    guard cost.width * cost.height <= maxPixels else {
      throw .imageTooLarge(
        "the image of \(cost.width) × \(cost.height) pixels exceeds the server's limit of "
          + "\(maxPixels) pixels")
    }
  }

  /// Reserves memory for images, and waits for it on the calling thread, at most ``memoryTimeout``.
  ///
  /// - Throws: A ``ClientError`` if there is too little memory, or if other requests use it.
  package func reserveMemory(
    for cost: ImageDecodingCost, until deadline: ContinuousClock.Instant?
  ) throws(ClientError) -> MemoryReservation? {
    try checkMemory(cost, isBackground: false)
    guard cost.bytes > 0 else { return nil }
    guard memory.reserve(cost.bytes, isBackground: false, until: waitingLimit(deadline)) else {
      throw .memoryExhausted
    }
    return MemoryReservation(memory, byteCount: cost.bytes, isBackground: false)
  }

  /// Reserves memory for images, and waits for it without a thread, at most ``memoryTimeout``.
  ///
  /// - Parameters:
  ///   - cost: The cost of decoding the images.
  ///   - isBackground: Whether the work is in the background.
  ///   - context: The state of the request, which has its deadline.
  /// - Returns: The reservation, to be kept as long as the memory is needed.
  /// - Throws: A ``ClientError`` if there is too little memory, if other requests use it, or if the response is not needed
  ///   anymore.
  func reserve(
    _ cost: ImageDecodingCost, isBackground: Bool, for context: RequestContext
  ) async throws(ClientError) -> MemoryReservation? {
    try checkMemory(cost, isBackground: isBackground)
    guard cost.bytes > 0 else { return nil }
    if !memory.reserveImmediately(cost.bytes, isBackground: isBackground) {
      let isReserved = await withCheckedContinuation { continuation in
        memory.reserve(
          cost.bytes, isBackground: isBackground, until: waitingLimit(context.deadline)
        ) { continuation.resume(returning: $0) }
      }
      guard isReserved else { throw .memoryExhausted }
    }
    let reservation = MemoryReservation(
      memory, byteCount: cost.bytes, isBackground: isBackground)
    try context.checkCancellation()
    return reservation
  }

  private func waitingLimit(_ deadline: ContinuousClock.Instant?) -> ContinuousClock.Instant {
    let timeout = ContinuousClock.now + memoryTimeout
    return deadline.map { min($0, timeout) } ?? timeout
  }

  private func checkMemory(
    _ cost: ImageDecodingCost, isBackground: Bool
  ) throws(ClientError) {
    guard cost.bytes > 0 else { return }
    let maxBytes = memory.maxBytes(isBackground: isBackground)
    guard cost.bytes <= maxBytes else {
      throw .imageTooLarge(
        "decoding the image of \(cost.width) × \(cost.height) pixels takes \(cost.bytes) "
          + "bytes; the server's limit is \(maxBytes) bytes")
    }
  }
}

extension ClientError {
  fileprivate static func imageTooLarge(_ message: String) -> ClientError {
    ClientError(.contentTooLarge, "image-too-large", message)
  }
}
