// LiteRT's C API, as far as TensorIO uses it.
//
// The library comes without headers and is opened at run time, so nothing here is ever linked:
// the declarations only give types to the table of functions that `clitert_open` looks up.
// Checked against LiteRT 2.3.0.

#ifndef CLITERT_H
#define CLITERT_H

#include <CFunctionTable.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// MARK: Values

/// 0 is success; the other numbers have names in `LiteRTStatus.swift`.
typedef int LiteRtStatus;
/// A position in a list.
typedef size_t LiteRtParamIndex;

/// The numbers that TensorFlow Lite gives the types of elements.
enum {
  CLiteRTElementFloat32 = 1,
  CLiteRTElementInt32 = 2,
  CLiteRTElementUInt8 = 3,
  CLiteRTElementInt64 = 4,
  CLiteRTElementString = 5,
  CLiteRTElementBool = 6,
  CLiteRTElementInt16 = 7,
  CLiteRTElementInt8 = 9,
  CLiteRTElementFloat16 = 10,
  CLiteRTElementFloat64 = 11,
};

/// Whether the lengths of a tensor's axes are described at all.
enum { CLiteRTTensorRanked = 0 };
/// How a tensor's elements are coded.
enum { CLiteRTQuantizationPerTensor = 1 };
/// What a lock is for.
enum { CLiteRTLockRead = 0, CLiteRTLockWrite = 1 };
/// The processors that a model may run on, a set of bits.
enum { CLiteRTAcceleratorCPU = 1 };

/// The most axes a tensor can have.
enum { CLiteRTMaxRank = 8 };

typedef struct {
  unsigned int rank : 7;
  unsigned int has_strides : 1;
  int32_t dimensions[8];
  uint32_t strides[8];
} LiteRtLayout;

typedef struct {
  int element_type;
  LiteRtLayout layout;
} LiteRtRankedTensorType;

typedef struct {
  float scale;
  int64_t zero_point;
} LiteRtQuantizationPerTensor;

/// A value of one of several types, with the number of its type.
typedef struct {
  int type;
  union {
    bool boolean;
    int64_t integer;
    double real;
    const char *_Nullable text;
    const void *_Nullable pointer;
  };
} LiteRtAny;

typedef struct {
  int tag;
  LiteRtAny value;
} LiteRtEnvOption;

// MARK: Handles

typedef struct LiteRtEnvironmentT *LiteRtEnvironment;
typedef struct LiteRtModelT *LiteRtModel;
typedef struct LiteRtSignatureT *LiteRtSignature;
typedef struct LiteRtSubgraphT *LiteRtSubgraph;
typedef struct LiteRtTensorT *LiteRtTensor;
typedef struct LiteRtOptionsT *LiteRtOptions;
typedef struct LiteRtOpaqueOptionsT *LiteRtOpaqueOptions;
typedef struct LiteRtCompiledModelT *LiteRtCompiledModel;
typedef struct LiteRtTensorBufferT *LiteRtTensorBuffer;
typedef struct LiteRtTensorBufferRequirementsT *LiteRtTensorBufferRequirements;

// MARK: Functions

LiteRtStatus LiteRtCreateEnvironment(
    int count, const LiteRtEnvOption *options, LiteRtEnvironment _Nullable *_Nonnull environment);
void LiteRtDestroyEnvironment(LiteRtEnvironment environment);

/// The bytes are not copied: they have to live as long as the model.
LiteRtStatus LiteRtCreateModelFromBuffer(
    LiteRtEnvironment environment, const void *bytes, size_t count,
    LiteRtModel _Nullable *_Nonnull model);
void LiteRtDestroyModel(LiteRtModel model);
LiteRtStatus LiteRtGetModelMetadata(
    LiteRtModel model, const char *name, const void *_Nullable *_Nonnull bytes, size_t *count);
LiteRtStatus LiteRtGetMainModelSubgraphIndex(LiteRtModel model, LiteRtParamIndex *index);
LiteRtStatus LiteRtGetModelSubgraph(
    LiteRtModel model, LiteRtParamIndex index, LiteRtSubgraph _Nullable *_Nonnull subgraph);
LiteRtStatus LiteRtGetNumModelSignatures(LiteRtModel model, LiteRtParamIndex *count);
LiteRtStatus LiteRtGetModelSignature(
    LiteRtModel model, LiteRtParamIndex index, LiteRtSignature _Nullable *_Nonnull signature);

LiteRtStatus LiteRtGetSignatureKey(
    LiteRtSignature signature, const char *_Nullable *_Nonnull key);
LiteRtStatus LiteRtGetSignatureSubgraph(
    LiteRtSignature signature, LiteRtSubgraph _Nullable *_Nonnull subgraph);
LiteRtStatus LiteRtGetNumSignatureInputs(LiteRtSignature signature, LiteRtParamIndex *count);
LiteRtStatus LiteRtGetNumSignatureOutputs(LiteRtSignature signature, LiteRtParamIndex *count);
LiteRtStatus LiteRtGetSignatureInputTensorByIndex(
    LiteRtSignature signature, LiteRtParamIndex index, LiteRtTensor _Nullable *_Nonnull tensor);
LiteRtStatus LiteRtGetSignatureOutputTensorByIndex(
    LiteRtSignature signature, LiteRtParamIndex index, LiteRtTensor _Nullable *_Nonnull tensor);

LiteRtStatus LiteRtGetNumSubgraphInputs(LiteRtSubgraph subgraph, LiteRtParamIndex *count);
LiteRtStatus LiteRtGetNumSubgraphOutputs(LiteRtSubgraph subgraph, LiteRtParamIndex *count);
LiteRtStatus LiteRtGetSubgraphInput(
    LiteRtSubgraph subgraph, LiteRtParamIndex index, LiteRtTensor _Nullable *_Nonnull tensor);
LiteRtStatus LiteRtGetSubgraphOutput(
    LiteRtSubgraph subgraph, LiteRtParamIndex index, LiteRtTensor _Nullable *_Nonnull tensor);

LiteRtStatus LiteRtGetTensorName(LiteRtTensor tensor, const char *_Nullable *_Nonnull name);
LiteRtStatus LiteRtGetTensorIndex(LiteRtTensor tensor, uint32_t *index);
LiteRtStatus LiteRtGetTensorTypeId(LiteRtTensor tensor, int *kind);
LiteRtStatus LiteRtGetRankedTensorType(LiteRtTensor tensor, LiteRtRankedTensorType *type);
LiteRtStatus LiteRtGetQuantizationTypeId(LiteRtTensor tensor, int *kind);
LiteRtStatus LiteRtGetPerTensorQuantization(
    LiteRtTensor tensor, LiteRtQuantizationPerTensor *quantization);

LiteRtStatus LiteRtCreateOptions(LiteRtOptions _Nullable *_Nonnull options);
void LiteRtDestroyOptions(LiteRtOptions options);
LiteRtStatus LiteRtSetOptionsHardwareAccelerators(LiteRtOptions options, int accelerators);
LiteRtStatus LiteRtCreateOpaqueOptions(
    const char *name, void *payload, void (*release)(void *_Nullable),
    LiteRtOpaqueOptions _Nullable *_Nonnull options);
void LiteRtDestroyOpaqueOptions(LiteRtOpaqueOptions options);
/// From here on the first options own the second.
LiteRtStatus LiteRtAddOpaqueOptions(LiteRtOptions options, LiteRtOpaqueOptions added);

LiteRtStatus LiteRtCreateCompiledModel(
    LiteRtEnvironment environment, LiteRtModel model, LiteRtOptions options,
    LiteRtCompiledModel _Nullable *_Nonnull compiled);
void LiteRtDestroyCompiledModel(LiteRtCompiledModel compiled);
LiteRtStatus LiteRtGetCompiledModelInputTensorLayout(
    LiteRtCompiledModel compiled, LiteRtParamIndex signature, LiteRtParamIndex input,
    LiteRtLayout *layout);
LiteRtStatus LiteRtGetCompiledModelOutputTensorLayouts(
    LiteRtCompiledModel compiled, LiteRtParamIndex signature, size_t count,
    LiteRtLayout *layouts, bool allocate);
LiteRtStatus LiteRtGetCompiledModelInputBufferRequirements(
    LiteRtCompiledModel compiled, LiteRtParamIndex signature, LiteRtParamIndex input,
    LiteRtTensorBufferRequirements _Nullable *_Nonnull requirements);
LiteRtStatus LiteRtGetCompiledModelOutputBufferRequirements(
    LiteRtCompiledModel compiled, LiteRtParamIndex signature, LiteRtParamIndex output,
    LiteRtTensorBufferRequirements _Nullable *_Nonnull requirements);
LiteRtStatus LiteRtCompiledModelResizeInputTensor(
    LiteRtCompiledModel compiled, LiteRtParamIndex signature, LiteRtParamIndex input,
    const int *_Nullable dimensions, size_t rank);
LiteRtStatus LiteRtRunCompiledModel(
    LiteRtCompiledModel compiled, LiteRtParamIndex signature, size_t inputCount,
    LiteRtTensorBuffer _Nullable *_Nonnull inputs, size_t outputCount,
    LiteRtTensorBuffer _Nullable *_Nonnull outputs);
/// The text is the caller's to `free`.
LiteRtStatus LiteRtCompiledModelGetErrorMessages(
    LiteRtCompiledModel compiled, char *_Nullable *_Nonnull messages);
LiteRtStatus LiteRtCompiledModelClearErrors(LiteRtCompiledModel compiled);

LiteRtStatus LiteRtCreateManagedTensorBufferFromRequirements(
    LiteRtEnvironment environment, const LiteRtRankedTensorType *type,
    LiteRtTensorBufferRequirements requirements, LiteRtTensorBuffer _Nullable *_Nonnull buffer);
/// The memory stays the caller's when there is nothing to deallocate it, and outlives the buffer.
LiteRtStatus LiteRtCreateTensorBufferFromHostMemory(
    const LiteRtRankedTensorType *type, void *memory, size_t count,
    void (*_Nullable deallocate)(void *), LiteRtTensorBuffer _Nullable *_Nonnull buffer);
LiteRtStatus LiteRtGetTensorBufferSize(LiteRtTensorBuffer buffer, size_t *count);
LiteRtStatus LiteRtLockTensorBuffer(
    LiteRtTensorBuffer buffer, void *_Nullable *_Nonnull memory, int mode);
LiteRtStatus LiteRtUnlockTensorBuffer(LiteRtTensorBuffer buffer);
void LiteRtDestroyTensorBuffer(LiteRtTensorBuffer buffer);

// MARK: The table

/// Every function above, once. A function that is missing here cannot be called.
#define CLITERT_FUNCTIONS(FUNCTION)                                                                \
  FUNCTION(LiteRtCreateEnvironment)                                                                \
  FUNCTION(LiteRtDestroyEnvironment)                                                               \
  FUNCTION(LiteRtCreateModelFromBuffer)                                                            \
  FUNCTION(LiteRtDestroyModel)                                                                     \
  FUNCTION(LiteRtGetModelMetadata)                                                                 \
  FUNCTION(LiteRtGetMainModelSubgraphIndex)                                                        \
  FUNCTION(LiteRtGetModelSubgraph)                                                                 \
  FUNCTION(LiteRtGetNumModelSignatures)                                                            \
  FUNCTION(LiteRtGetModelSignature)                                                                \
  FUNCTION(LiteRtGetSignatureKey)                                                                  \
  FUNCTION(LiteRtGetSignatureSubgraph)                                                             \
  FUNCTION(LiteRtGetNumSignatureInputs)                                                            \
  FUNCTION(LiteRtGetNumSignatureOutputs)                                                           \
  FUNCTION(LiteRtGetSignatureInputTensorByIndex)                                                   \
  FUNCTION(LiteRtGetSignatureOutputTensorByIndex)                                                  \
  FUNCTION(LiteRtGetNumSubgraphInputs)                                                             \
  FUNCTION(LiteRtGetNumSubgraphOutputs)                                                            \
  FUNCTION(LiteRtGetSubgraphInput)                                                                 \
  FUNCTION(LiteRtGetSubgraphOutput)                                                                \
  FUNCTION(LiteRtGetTensorName)                                                                    \
  FUNCTION(LiteRtGetTensorIndex)                                                                   \
  FUNCTION(LiteRtGetTensorTypeId)                                                                  \
  FUNCTION(LiteRtGetRankedTensorType)                                                              \
  FUNCTION(LiteRtGetQuantizationTypeId)                                                            \
  FUNCTION(LiteRtGetPerTensorQuantization)                                                         \
  FUNCTION(LiteRtCreateOptions)                                                                    \
  FUNCTION(LiteRtDestroyOptions)                                                                   \
  FUNCTION(LiteRtSetOptionsHardwareAccelerators)                                                   \
  FUNCTION(LiteRtCreateOpaqueOptions)                                                              \
  FUNCTION(LiteRtDestroyOpaqueOptions)                                                             \
  FUNCTION(LiteRtAddOpaqueOptions)                                                                 \
  FUNCTION(LiteRtCreateCompiledModel)                                                              \
  FUNCTION(LiteRtDestroyCompiledModel)                                                             \
  FUNCTION(LiteRtGetCompiledModelInputTensorLayout)                                                \
  FUNCTION(LiteRtGetCompiledModelOutputTensorLayouts)                                              \
  FUNCTION(LiteRtGetCompiledModelInputBufferRequirements)                                          \
  FUNCTION(LiteRtGetCompiledModelOutputBufferRequirements)                                         \
  FUNCTION(LiteRtCompiledModelResizeInputTensor)                                                   \
  FUNCTION(LiteRtRunCompiledModel)                                                                 \
  FUNCTION(LiteRtCompiledModelGetErrorMessages)                                                    \
  FUNCTION(LiteRtCompiledModelClearErrors)                                                         \
  FUNCTION(LiteRtCreateManagedTensorBufferFromRequirements)                                        \
  FUNCTION(LiteRtCreateTensorBufferFromHostMemory)                                                 \
  FUNCTION(LiteRtGetTensorBufferSize)                                                              \
  FUNCTION(LiteRtLockTensorBuffer)                                                                 \
  FUNCTION(LiteRtUnlockTensorBuffer)                                                               \
  FUNCTION(LiteRtDestroyTensorBuffer)

/// The functions of one opened library.
typedef struct {
  CLITERT_FUNCTIONS(FUNCTION_TABLE_MEMBER)
} CLiteRTTable;

/// Opens a library and looks every function up.
///
/// The table and the library stay for the life of the process. On failure there is no table, and
/// a text, the caller's to `free`, names what is missing.
const CLiteRTTable *_Nullable clitert_open(const char *path, char *_Nullable *_Nonnull problem);

// MARK: What Swift cannot say

/// An environment that knows the CPU only: it looks for no accelerators and logs nothing.
LiteRtStatus clitert_create_environment(
    const CLiteRTTable *table, LiteRtEnvironment _Nullable *_Nonnull environment);

/// Adds a section of options in TOML, of which a copy is made.
LiteRtStatus clitert_add_options(
    const CLiteRTTable *table, LiteRtOptions options, const char *section, const char *toml);

enum { CLiteRTCPUIDWordCount = 8 };

/// What a processor says of its kind and of its instructions; false where this is not known.
bool clitert_cpuid(uint32_t *words);

/// How many axes a layout has.
size_t clitert_rank(const LiteRtLayout *layout);
/// The length of one axis, -1 where it varies.
int32_t clitert_axis(const LiteRtLayout *layout, size_t axis);

#pragma clang assume_nonnull end

#endif
