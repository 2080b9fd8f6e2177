#define _GNU_SOURCE
#include "CIsolation.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#ifdef __linux__

static int anonymous_memory(void) {
  return memfd_create("tensorio", MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

static bool seal_size(int memory) {
  return fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0;
}

bool cisolation_seal_memory(int memory) {
  return fcntl(memory, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SEAL) == 0;
}

#else

static int anonymous_memory(void) {
  static _Atomic unsigned count = 0;
  char name[32];
  snprintf(name, sizeof name, "/tensorio.%d.%u", (int)getpid(), count++);
  int memory = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
  if (memory >= 0) shm_unlink(name);
  return memory;
}

// On Apple platforms, the size of shared memory can be set only once, and it cannot be sealed.
static bool seal_size(int memory) { return memory >= 0; }
bool cisolation_seal_memory(int memory) { return memory >= 0; }

#endif

int cisolation_create_memory(size_t bytes) {
  int memory = anonymous_memory();
  if (memory < 0) return -1;
  if (ftruncate(memory, (off_t)bytes) == 0 && seal_size(memory)) return memory;
  close(memory);
  return -1;
}

bool cisolation_socket_pair(int *ends) {
#ifdef SOCK_CLOEXEC
  return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0;
#else
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return false;
  int yes = 1;
  for (int end = 0; end < 2; end++) {
    fcntl(ends[end], F_SETFD, FD_CLOEXEC);
    setsockopt(ends[end], SOL_SOCKET, SO_NOSIGPIPE, &yes, sizeof yes);
  }
  return true;
#endif
}

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif
#ifndef MSG_CMSG_CLOEXEC
#define MSG_CMSG_CLOEXEC 0
#endif

// The maximum number of descriptors received with a message; all but the first are closed.
enum { max_descriptors = 8 };

union control {
  struct cmsghdr header;
  char bytes[CMSG_SPACE(max_descriptors * sizeof(int))];
};

ssize_t cisolation_send(int socket, const void *bytes, size_t count, int descriptor) {
  struct iovec part = {(void *)bytes, count};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  union control control;
  if (descriptor >= 0) {
    memset(&control, 0, sizeof control);
    message.msg_control = &control;
    message.msg_controllen = CMSG_SPACE(sizeof descriptor);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptor);
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  }
  ssize_t sent;
  do sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  while (sent < 0 && errno == EINTR);
  return sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? 0 : sent;
}

static void take_descriptors(struct msghdr *message, int *descriptor) {
  for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header;
       header = CMSG_NXTHDR(message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t index = 0; index < count; index++) {
      int one;
      memcpy(&one, CMSG_DATA(header) + index * sizeof one, sizeof one);
      if (*descriptor < 0) {
        *descriptor = one;
      } else {
        close(one);
      }
    }
  }
}

ssize_t cisolation_receive(int socket, void *bytes, size_t count, int *descriptor) {
  struct iovec part = {bytes, count};
  union control control;
  struct msghdr message = {
      .msg_iov = &part,
      .msg_iovlen = 1,
      .msg_control = &control,
      .msg_controllen = sizeof control};
  *descriptor = -1;
  ssize_t received;
  do received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (received < 0 && errno == EINTR);
  if (received >= 0) take_descriptors(&message, descriptor);
  return received;
}
