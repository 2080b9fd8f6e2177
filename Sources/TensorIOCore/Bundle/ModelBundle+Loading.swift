extension ModelBundle {
  /// Loads the bundle's model for a mode; what its description is to blame for is told with its
  /// place.
  package func load(
    for mode: ModelMode, threads: Int = ThreadCount.standard, on backend: any Backend
  ) throws(ModelError) -> any RuntimeModel {
    let use = ModelUse(description, mode: mode, threads: threads)
    let file = try modelFile(for: mode)
    do throws(ModelError) {
      return try backend.load(file, for: use)
    } catch {
      guard case .invalidDescription(let problems) = error.reason else { throw error }
      throw ModelError(
        error.stage, .invalidDescription(placed(description.placed(problems, in: mode))),
        layer: error.layer, file: path)
    }
  }
}
