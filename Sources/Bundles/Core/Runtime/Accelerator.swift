/// The hardware that runs models.
public enum Accelerator: String, Sendable, Hashable, CaseIterable {
  /// The processor.
  case cpu
  /// A graphics processor.
  ///
  /// LiteRT uses the first device that its accelerator finds through Vulkan, with 32-bit floats. A model
  /// that the device cannot run as a whole is rejected.
  case gpu
}
