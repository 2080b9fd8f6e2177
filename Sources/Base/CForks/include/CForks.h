#ifndef CFORKS_H
#define CFORKS_H

/// Makes a call of `fork` wait until `cforks_allow` is called as often as this function.
///
/// The child of `fork` has one thread. A lock that another thread held at that moment stays locked in the child
/// forever, so that work which holds locks of the process for long, such as opening a model, excludes forks.
///
/// The first call also repairs what `fork` breaks in the locks of Swift's `Mutex`. They contain the number of the thread
/// that holds them, which each thread keeps in a variable. The thread that forks has another number in the child, where
/// the variable still has the old one; as soon as two threads of the child need a lock at the same time, the system
/// rejects it and the process crashes.
void cforks_prevent(void);

/// Lets a waiting `fork` continue.
void cforks_allow(void);

#endif
