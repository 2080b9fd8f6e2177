#include "CLiteRT.h"

#include <dlfcn.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

// The parts of Vulkan's interface that are needed to list devices.

typedef struct VkInstance_T *VkInstance;
typedef struct VkPhysicalDevice_T *VkPhysicalDevice;
typedef int32_t VkResult;

typedef struct {
  int32_t type;
  const void *next;
  uint32_t flags;
  const void *application;
  uint32_t layerCount;
  const char *const *layers;
  uint32_t extensionCount;
  const char *const *extensions;
} VkInstanceCreateInfo;

enum {
  instanceCreateInfo = 1,
  maxDevices = 16,
  nameOffset = 20,
  maxNameLength = 256,
  /// More than the structure `VkPhysicalDeviceProperties` has.
  propertiesSize = 4096,
};

typedef VkResult CreateInstance(
    const VkInstanceCreateInfo *info, const void *allocator, VkInstance *instance);
typedef VkResult EnumerateDevices(VkInstance instance, uint32_t *count, VkPhysicalDevice *devices);
typedef void GetProperties(VkPhysicalDevice device, void *properties);
typedef void DestroyInstance(VkInstance instance, const void *allocator);

/// Appends the names of an instance's devices, each with a line feed.
static void append_names(
    VkInstance instance, EnumerateDevices *enumerate, GetProperties *getProperties, char *text) {
  VkPhysicalDevice devices[maxDevices];
  uint32_t count = maxDevices;
  if (enumerate(instance, &count, devices) < 0) return;
  for (uint32_t index = 0; index < count && index < maxDevices; index++) {
    alignas(16) char properties[propertiesSize] = {0};
    getProperties(devices[index], properties);
    size_t length = strnlen(properties + nameOffset, maxNameLength);
    strncat(text, properties + nameOffset, length);
    strcat(text, "\n");
  }
}

char *clitert_vulkan_devices(void) {
  // The loader stays open: drivers may have threads.
  void *loader = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!loader) return NULL;
  CreateInstance *create = (CreateInstance *)dlsym(loader, "vkCreateInstance");
  EnumerateDevices *enumerate = (EnumerateDevices *)dlsym(loader, "vkEnumeratePhysicalDevices");
  GetProperties *getProperties = (GetProperties *)dlsym(loader, "vkGetPhysicalDeviceProperties");
  DestroyInstance *destroy = (DestroyInstance *)dlsym(loader, "vkDestroyInstance");
  if (!create || !enumerate || !getProperties || !destroy) return NULL;
  char *text = calloc(maxDevices, maxNameLength + 1);
  if (!text) return NULL;
  const VkInstanceCreateInfo info = {.type = instanceCreateInfo};
  VkInstance instance = NULL;
  // Without a driver, no instance can be created.
  if (create(&info, NULL, &instance) < 0 || !instance) return text;
  append_names(instance, enumerate, getProperties, text);
  destroy(instance, NULL);
  return text;
}
