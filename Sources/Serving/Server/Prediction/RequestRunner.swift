import TensorIOBundle
import TensorIOCore
import TensorIOImage

/// Runs a model on the items of a request, one after another, within the limits of the server.
struct RequestRunner: Sendable {
  let served: ServedModel
  let context: RequestContext
  let limits: PredictionLimits
  let metrics: ServerMetrics

  /// Checks the sizes of all images before the first one is decoded, and continues in the background if the work takes
  /// long.
  ///
  /// - Parameters:
  ///   - count: The number of items.
  ///   - costs: The costs of decoding the images of the items.
  /// - Returns: Whether the work is in the background.
  /// - Throws: A ``ClientError`` if an image or all images together have too many pixels, or if too much waits.
  func begin(_ count: Int, decoding costs: [ImageDecodingCost]) async throws(ClientError) -> Bool {
    for cost in costs { try limits.checkPixels(cost) }
    guard costs.reduce(0, { $0 + $1.pixels }) <= limits.maxRequestPixels else {
      throw ClientError(
        .contentTooLarge, "too-many-pixels",
        "the images of the request exceed the server's limit of \(limits.maxRequestPixels) "
          + "pixels; send fewer images per request")
    }
    let largest = costs.lazy.map(\.pixels).max() ?? 0
    guard
      count > PredictionLimits.maxForegroundItems || largest > PredictionLimits.maxForegroundPixels
    else { return false }
    try await context.moveToBackground()
    return true
  }

  /// Runs the model on an item, within the memory for its images.
  ///
  /// - Parameters:
  ///   - input: The item.
  ///   - cost: The cost of decoding its images.
  ///   - isBackground: Whether the work is in the background.
  /// - Returns: The output of the model, or its error.
  /// - Throws: A ``ClientError`` if there is no memory.
  func run(
    _ input: ModelInput, decoding cost: ImageDecodingCost, isBackground: Bool
  ) async throws(ClientError) -> ServedModel.Output {
    let reservation = try await limits.reserve(cost, isBackground: isBackground, for: context)
    defer { withExtendedLifetime(reservation) {} }
    return await context.run(served, input)
  }
}
