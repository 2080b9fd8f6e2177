#ifndef CISOLATION_H
#define CISOLATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// The descriptor at which a worker finds its socket.
enum { cisolation_worker_socket = 3 };

// What both sides do.

/// Memory without a name that processes can share, which can neither shrink nor grow; -1 where there
/// is none.
int cisolation_create_memory(size_t bytes);

/// Makes shared memory read-only for whoever maps it from now on.
bool cisolation_seal_memory(int memory);

/// Sends bytes, and a descriptor along with the first of them unless it is negative.
///
/// What cannot be sent because nobody is there raises no signal.
ssize_t cisolation_send(int socket, const void *_Nonnull bytes, size_t count, int descriptor);

/// Receives bytes, and the descriptor that came along, or -1.
ssize_t cisolation_receive(
    int socket, void *_Nonnull bytes, size_t count, int *_Nonnull descriptor);

// What a parent does.

/// Two connected sockets that no other program inherits.
bool cisolation_socket_pair(int *_Nonnull ends);

/// Starts a program with nothing but a socket, as descriptor 3, in a process group of its own; the
/// number of an error, or 0.
int cisolation_spawn(
    pid_t *_Nonnull worker, const char *_Nonnull path, char *_Nullable const *_Nonnull arguments,
    char *_Nullable const *_Nonnull environment, int socket, bool keepsErrors);

/// Waits until a process has ended, and leaves it to be reaped.
void cisolation_wait_for_exit(pid_t worker);

/// Reaps a process that has ended: the signal that ended it, or 0, and its status.
void cisolation_reap(pid_t worker, int *_Nonnull signal, int *_Nonnull status);

/// The path of the running program; false where it cannot be told.
bool cisolation_executable_path(char *_Nonnull path, size_t room);

// What a worker does with itself.

/// Closes all descriptors from a number on.
void cisolation_close_descriptors_from(int first);

/// Lets the system end this process when its parent ends; false where it has ended already.
bool cisolation_exit_with_parent(pid_t parent);

/// Ends this process when nobody has the other end of its socket, whatever it is busy with.
bool cisolation_exit_on_hangup(int socket);

/// What a cage may lack; see `cisolation_enter_sandbox`.
enum {
  cisolation_lacks_landlock = 1 << 0,
  cisolation_lacks_seccomp = 1 << 1,
  cisolation_has_threads = 1 << 2,
  cisolation_can_read = 1 << 3,
  cisolation_can_write = 1 << 4,
  cisolation_can_connect = 1 << 5,
  cisolation_can_execute = 1 << 6,
  cisolation_can_trace = 1 << 7,
  cisolation_can_fork = 1 << 8,
  cisolation_can_signal = 1 << 9,
};

/// Gives up files, sockets, programs and other processes for good, and tries whether that is so.
///
/// What is lacking, as a sum of the numbers above; 0 where the cage is whole. The descriptors that
/// are open stay so. What tells of the processors may still be read, as may random numbers, and a folder that is
/// not null.
unsigned cisolation_enter_sandbox(const char *_Nullable folder);

/// Limits the address space, and forbids core files and many open files.
bool cisolation_set_limits(uint64_t addressSpace, uint64_t files);

/// Lets this process use so many more seconds of processor time; 0 for as many as it likes.
bool cisolation_limit_processor_time(uint64_t seconds);

#endif
