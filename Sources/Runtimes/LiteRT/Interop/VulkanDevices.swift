import CLiteRT
import TensorIOSystem

/// The devices that Vulkan finds.
enum VulkanDevices {
  /// The names of the devices; `nil` without a Vulkan loader.
  ///
  /// The drivers of the devices are loaded into the process.
  static var names: [String]? {
    unsafe DynamicLibrary.takeString(clitert_vulkan_devices())?.split(separator: "\n")
      .map(String.init)
  }
}
