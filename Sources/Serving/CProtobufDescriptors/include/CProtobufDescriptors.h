// The descriptors of the messages of the server's gRPC services, embedded in the program.

#ifndef CPROTOBUFDESCRIPTORS_H
#define CPROTOBUFDESCRIPTORS_H

#include <stddef.h>

#pragma clang assume_nonnull begin

/// Returns the `FileDescriptorSet` that Scripts/fixtures/protobuf writes from the folder Definitions.
const unsigned char *CProtobufDescriptorsBytes(size_t *count);

#pragma clang assume_nonnull end

#endif
