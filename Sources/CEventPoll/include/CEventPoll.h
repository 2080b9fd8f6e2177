#ifndef C_EVENT_POLL_H
#define C_EVENT_POLL_H

/* What Swift's own module of the C library leaves out. */
#ifdef __linux__
#include <sys/epoll.h>

/* The next connection, which does not wait and is closed in programs that are started. */
int CEventPollAcceptNonblocking(int listener);
#endif

#endif
