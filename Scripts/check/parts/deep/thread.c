// Reports contended Swift mutexes to the thread sanitizer.
//
// Uncontended locking is inlined into the caller, where the sanitizer sees it. Waiting and waking happen inside
// Swift's library, which is not instrumented, so that every contended mutex would look like a missing one. This
// file interposes the two functions concerned.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

typedef SWIFT void Lock(uint32_t thread, SELF void *mutex);
typedef SWIFT void Unlock(SELF void *mutex);

SWIFT void lock_and_tell(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFT void tell_and_unlock(SELF void *mutex) __asm__(UNLOCK);

static void tell(const char *what, void *mutex) {
  // Processes that are started have no sanitizer.
  void (*sanitizer)(void *) = (void (*)(void *))dlsym(RTLD_DEFAULT, what);
  if (sanitizer) sanitizer(mutex);
}

SWIFT void lock_and_tell(uint32_t thread, SELF void *mutex) {
  ((Lock *)dlsym(RTLD_NEXT, LOCK))(thread, mutex);
  tell("__tsan_acquire", mutex);
}

SWIFT void tell_and_unlock(SELF void *mutex) {
  tell("__tsan_release", mutex);
  ((Unlock *)dlsym(RTLD_NEXT, UNLOCK))(mutex);
}
