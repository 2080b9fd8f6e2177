package import TensorIOBundle

/// A backend that can run models on a GPU.
package protocol DeviceListingBackend: Backend {
  /// Returns the names of the devices.
  ///
  /// - Throws: A `ModelError` if there is none, or if a library is missing.
  func gpuDevices() throws(ModelError) -> [String]
}
