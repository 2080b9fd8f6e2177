/// A runtime with its descriptor, configured by the user's settings.
package struct ConfiguredRuntime: Sendable {
  /// The descriptor.
  package let descriptor: RuntimeDescriptor
  /// The runtime, which opens its library on first use.
  package let backend: any Backend

  /// Creates a runtime.
  package init(_ descriptor: RuntimeDescriptor, _ settings: RuntimeSettings = RuntimeSettings()) {
    self.descriptor = descriptor
    backend = descriptor.makeBackend(settings)
  }
}
