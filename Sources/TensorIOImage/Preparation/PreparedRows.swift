/// A picture ready to give the rows of a frame, as often as they are asked for.
public struct PreparedRows: Sendable {
  /// How the frame corresponds to the picture.
  public let geometry: ImageGeometry

  let image: ImageBuffer
  let preparation: ImagePreparation
  let placement: Placement
  let plan: ResamplingPlan

  init(
    image: ImageBuffer, preparation: ImagePreparation, placement: Placement, plan: ResamplingPlan,
    geometry: ImageGeometry
  ) {
    self.image = image
    self.preparation = preparation
    self.placement = placement
    self.plan = plan
    self.geometry = geometry
  }
}
