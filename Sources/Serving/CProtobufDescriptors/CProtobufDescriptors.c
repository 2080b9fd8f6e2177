#include "CProtobufDescriptors.h"

// #embed is a C23 feature; the package is compiled as an earlier version of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char bytes[] = {
#embed "Descriptors.binpb"
};

const unsigned char *CProtobufDescriptorsBytes(size_t *count) {
  *count = sizeof bytes;
  return bytes;
}
