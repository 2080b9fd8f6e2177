// Tells the thread sanitizer of a Mutex of Swift's that is waited for.
//
// Where nobody waits, a lock is taken and given back by code that is compiled into whoever does it, and
// that the sanitizer sees. Waiting, and waking who waits, is done within Swift's library, into which it
// cannot look: each mutex that is ever waited for would seem to be none. This stands before these two.

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
