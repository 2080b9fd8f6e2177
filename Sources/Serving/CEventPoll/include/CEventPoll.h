#ifndef C_EVENT_POLL_H
#define C_EVENT_POLL_H

/* Declarations that Swift's module of the C library lacks. */
#ifdef __linux__
#include <sys/epoll.h>
#include <sys/eventfd.h>

/* Accepts a connection as a nonblocking, close-on-exec socket. */
int CEventPollAcceptNonblocking(int listener);
#endif

#endif
