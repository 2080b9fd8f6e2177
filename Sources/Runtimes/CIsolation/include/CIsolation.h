#ifndef CISOLATION_H
#define CISOLATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// The descriptor of the socket in a worker process.
enum { cisolation_worker_socket = 3 };

// Functions for both processes.

/// Creates anonymous memory of a fixed size that processes can share; returns its descriptor, or -1.
int cisolation_create_memory(size_t bytes);

/// Makes shared memory read-only for all subsequent mappings.
bool cisolation_seal_memory(int memory);

/// Sends bytes without blocking, with a descriptor unless it is negative.
///
/// Returns the number of bytes sent, 0 if the socket's buffer is full, or -1 on error. The descriptor
/// is sent with the first byte. Does not raise SIGPIPE.
ssize_t cisolation_send(int socket, const void *_Nonnull bytes, size_t count, int descriptor);

/// Receives bytes and a descriptor, which is -1 if there is none.
ssize_t cisolation_receive(
    int socket, void *_Nonnull bytes, size_t count, int *_Nonnull descriptor);

// Functions for the parent process.

/// Creates two connected sockets that are not inherited by other programs.
bool cisolation_socket_pair(int *_Nonnull ends);

/// Spawns a program in a new process group that inherits only a socket, as descriptor 3; returns 0
/// or an error number.
int cisolation_spawn(
    pid_t *_Nonnull worker, const char *_Nonnull path, char *_Nullable const *_Nonnull arguments,
    char *_Nullable const *_Nonnull environment, int socket, bool inheritsStderr);

/// Waits until a process has exited, without reaping it.
void cisolation_wait_for_exit(pid_t worker);

/// Reaps a process that has exited; returns the terminating signal or 0, and the exit status.
void cisolation_reap(pid_t worker, int *_Nonnull signal, int *_Nonnull status);

/// Returns the path of the running executable; false if it cannot be determined.
bool cisolation_executable_path(char *_Nonnull path, size_t capacity);

// Functions for the worker process.

/// Closes all descriptors greater than or equal to `first`.
void cisolation_close_descriptors_from(int first);

/// Requests termination of this process when its parent exits; false if the parent has exited.
bool cisolation_exit_with_parent(pid_t parent);

/// Starts a thread that exits this process when the peer closes the socket.
bool cisolation_exit_on_hangup(int socket);

/// The gaps that a sandbox may have; see `cisolation_enter_sandbox`.
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

/// Irrevocably gives up access to files, sockets, programs and other processes, and verifies it.
///
/// Returns the gaps as a bit mask of the constants above; 0 if the sandbox is complete. Open
/// descriptors remain usable. Files that describe the processors, random numbers and, if it is not
/// null, the folder remain readable.
unsigned cisolation_enter_sandbox(const char *_Nullable folder);

/// Limits the address space and the number of open files, and disables core files.
bool cisolation_set_limits(uint64_t addressSpace, uint64_t files);

/// Limits the processor time from now on to a number of seconds; 0 means no limit.
bool cisolation_limit_processor_time(uint64_t seconds);

#endif
