#define _GNU_SOURCE
#include "CEventPoll.h"

#ifdef __linux__
#include <stddef.h>
#include <sys/socket.h>

int CEventPollAcceptNonblocking(int listener) {
  return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
#endif
