// The part of LiteRT's C API that TensorIO uses, for LiteRT 2.3.0.
//
// The library is distributed without headers and opened at run time. These declarations are never
// linked; they define the types of the function table that `clitert_open` fills.

#ifndef CLITERT_H
#define CLITERT_H

#include <FunctionTable.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// MARK: Values

/// 0 is success; `statusDescription` in `LiteRTLibrary.swift` describes the error codes.
typedef int LiteRtStatus;
/// An index in a list.
typedef size_t LiteRtParamIndex;

/// TensorFlow Lite's codes of element types.
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

/// The type ID of a tensor with a known rank.
enum { CLiteRTTensorRanked = 0 };
/// The type ID of per-tensor quantization.
enum { CLiteRTQuantizationPerTensor = 1 };
/// The modes of a buffer lock.
enum { CLiteRTLockRead = 0, CLiteRTLockWrite = 1 };
/// The hardware accelerators, a bit mask.
enum { CLiteRTAcceleratorCPU = 1, CLiteRTAcceleratorGPU = 2 };

/// The maximum rank of a tensor.
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

/// A tagged union.
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

/// The kinds of profiled events: a run of a node, and of an operator inside a delegate.
enum { CLiteRTEventOperator = 1 << 1, CLiteRTEventDelegateOperator = 1 << 3 };

typedef struct {
  /// Owned by the profiler.
  const char *_Nullable tag;
  int type;
  uint64_t start_microseconds;
  uint64_t elapsed_microseconds;
  size_t memory_before[3];
  size_t memory_after[3];
  /// The index of the node.
  uint64_t node;
  uint64_t subgraph;
  int source;
} LiteRtProfiledEvent;

// MARK: Handles

typedef struct LiteRtEnvironmentT *LiteRtEnvironment;
typedef struct LiteRtModelT *LiteRtModel;
typedef struct LiteRtSignatureT *LiteRtSignature;
typedef struct LiteRtSubgraphT *LiteRtSubgraph;
typedef struct LiteRtTensorT *LiteRtTensor;
typedef struct LiteRtOptionsT *LiteRtOptions;
typedef struct LiteRtOpaqueOptionsT *LiteRtOpaqueOptions;
typedef struct LiteRtCompiledModelT *LiteRtCompiledModel;
typedef struct LiteRtProfilerT *LiteRtProfiler;
typedef struct LiteRtTensorBufferT *LiteRtTensorBuffer;
typedef struct LiteRtTensorBufferRequirementsT *LiteRtTensorBufferRequirements;

// MARK: Functions

LiteRtStatus LiteRtCreateEnvironment(
    int count, const LiteRtEnvOption *options, LiteRtEnvironment _Nullable *_Nonnull environment);
void LiteRtDestroyEnvironment(LiteRtEnvironment environment);

/// The bytes are not copied and must outlive the model.
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
LiteRtStatus LiteRtGetSignatureInputName(
    LiteRtSignature signature, LiteRtParamIndex index, const char *_Nullable *_Nonnull name);
LiteRtStatus LiteRtGetSignatureOutputName(
    LiteRtSignature signature, LiteRtParamIndex index, const char *_Nullable *_Nonnull name);
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
/// Transfers ownership of the opaque options.
LiteRtStatus LiteRtAddOpaqueOptions(LiteRtOptions options, LiteRtOpaqueOptions added);

/// The implementation of a custom operator, which all nodes with its name share.
///
/// LiteRT ignores the status that the functions return.
typedef struct {
  LiteRtStatus (*_Nonnull Init)(
      void *_Nullable context, const void *_Nullable options, size_t count);
  LiteRtStatus (*_Nonnull GetOutputLayouts)(
      void *_Nullable context, size_t inputCount, const LiteRtLayout *_Nullable inputs,
      size_t outputCount, LiteRtLayout *_Nullable outputs);
  LiteRtStatus (*_Nonnull Run)(
      void *_Nullable context, size_t inputCount,
      const LiteRtTensorBuffer _Nullable *_Nullable inputs, size_t outputCount,
      LiteRtTensorBuffer _Nullable *_Nullable outputs);
  LiteRtStatus (*_Nonnull Destroy)(void *_Nullable context);
} LiteRtCustomOpKernel;
/// The kernel and the name are copied; the context must outlive the compiled model.
LiteRtStatus LiteRtAddCustomOpKernelOption(
    LiteRtOptions options, const char *name, int version, const LiteRtCustomOpKernel *kernel,
    void *_Nullable context);

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
/// Also changes dimensions that the model declares as fixed.
LiteRtStatus LiteRtCompiledModelResizeInputTensorNonStrict(
    LiteRtCompiledModel compiled, LiteRtParamIndex signature, LiteRtParamIndex input,
    const int *_Nullable dimensions, size_t rank);
/// LiteRT calls the function before each node of a run, which ends with an error if it returns true.
LiteRtStatus LiteRtSetCompiledModelCancellationFunction(
    LiteRtCompiledModel compiled, void *_Nullable context,
    bool (*_Nullable isCancelled)(void *_Nullable context));
LiteRtStatus LiteRtRunCompiledModel(
    LiteRtCompiledModel compiled, LiteRtParamIndex signature, size_t inputCount,
    LiteRtTensorBuffer _Nullable *_Nonnull inputs, size_t outputCount,
    LiteRtTensorBuffer _Nullable *_Nonnull outputs);
/// The caller must `free` the messages.
LiteRtStatus LiteRtCompiledModelGetErrorMessages(
    LiteRtCompiledModel compiled, char *_Nullable *_Nonnull messages);
LiteRtStatus LiteRtCompiledModelClearErrors(LiteRtCompiledModel compiled);

/// The compiled model owns the profiler.
LiteRtStatus LiteRtCompiledModelGetProfiler(
    LiteRtCompiledModel compiled, LiteRtProfiler _Nullable *_Nonnull profiler);
LiteRtStatus LiteRtStartProfiler(LiteRtProfiler profiler);
LiteRtStatus LiteRtStopProfiler(LiteRtProfiler profiler);
LiteRtStatus LiteRtResetProfiler(LiteRtProfiler profiler);
LiteRtStatus LiteRtGetNumProfilerEvents(LiteRtProfiler profiler, int *count);
LiteRtStatus LiteRtGetProfilerEvents(
    LiteRtProfiler profiler, int count, LiteRtProfiledEvent *events);

LiteRtStatus LiteRtCreateManagedTensorBufferFromRequirements(
    LiteRtEnvironment environment, const LiteRtRankedTensorType *type,
    LiteRtTensorBufferRequirements requirements, LiteRtTensorBuffer _Nullable *_Nonnull buffer);
/// Without a deallocator the caller owns the memory, which must outlive the buffer.
LiteRtStatus LiteRtCreateTensorBufferFromHostMemory(
    const LiteRtRankedTensorType *type, void *memory, size_t count,
    void (*_Nullable deallocate)(void *), LiteRtTensorBuffer _Nullable *_Nonnull buffer);
LiteRtStatus LiteRtGetTensorBufferSize(LiteRtTensorBuffer buffer, size_t *count);
LiteRtStatus LiteRtLockTensorBuffer(
    LiteRtTensorBuffer buffer, void *_Nullable *_Nonnull memory, int mode);
LiteRtStatus LiteRtUnlockTensorBuffer(LiteRtTensorBuffer buffer);
void LiteRtDestroyTensorBuffer(LiteRtTensorBuffer buffer);

// MARK: The table

/// All functions declared above; a function that is not listed cannot be called.
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
  FUNCTION(LiteRtGetSignatureInputName)                                                            \
  FUNCTION(LiteRtGetSignatureOutputName)                                                           \
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
  FUNCTION(LiteRtAddCustomOpKernelOption)                                                          \
  FUNCTION(LiteRtCreateCompiledModel)                                                              \
  FUNCTION(LiteRtDestroyCompiledModel)                                                             \
  FUNCTION(LiteRtGetCompiledModelInputTensorLayout)                                                \
  FUNCTION(LiteRtGetCompiledModelOutputTensorLayouts)                                              \
  FUNCTION(LiteRtGetCompiledModelInputBufferRequirements)                                          \
  FUNCTION(LiteRtGetCompiledModelOutputBufferRequirements)                                         \
  FUNCTION(LiteRtCompiledModelResizeInputTensor)                                                   \
  FUNCTION(LiteRtCompiledModelResizeInputTensorNonStrict)                                          \
  FUNCTION(LiteRtSetCompiledModelCancellationFunction)                                             \
  FUNCTION(LiteRtRunCompiledModel)                                                                 \
  FUNCTION(LiteRtCompiledModelGetErrorMessages)                                                    \
  FUNCTION(LiteRtCompiledModelClearErrors)                                                         \
  FUNCTION(LiteRtCompiledModelGetProfiler)                                                         \
  FUNCTION(LiteRtStartProfiler)                                                                    \
  FUNCTION(LiteRtStopProfiler)                                                                     \
  FUNCTION(LiteRtResetProfiler)                                                                    \
  FUNCTION(LiteRtGetNumProfilerEvents)                                                             \
  FUNCTION(LiteRtGetProfilerEvents)                                                                \
  FUNCTION(LiteRtCreateManagedTensorBufferFromRequirements)                                        \
  FUNCTION(LiteRtCreateTensorBufferFromHostMemory)                                                 \
  FUNCTION(LiteRtGetTensorBufferSize)                                                              \
  FUNCTION(LiteRtLockTensorBuffer)                                                                 \
  FUNCTION(LiteRtUnlockTensorBuffer)                                                               \
  FUNCTION(LiteRtDestroyTensorBuffer)

/// The functions of an open library.
typedef struct {
  CLITERT_FUNCTIONS(FUNCTION_TABLE_MEMBER)
} CLiteRTTable;

/// Opens a library and looks up all functions.
///
/// The table and the library are never released. On failure it returns NULL and an error message,
/// which the caller must `free`.
const CLiteRTTable *_Nullable clitert_open(const char *path, char *_Nullable *_Nonnull message);

// MARK: Functions that cannot be written in Swift

/// Creates an environment that is restricted to the CPU and does not log.
///
/// A folder with LiteRT's accelerator for graphics processors makes these available too; the string
/// has to exist as long as the environment.
LiteRtStatus clitert_create_environment(
    const CLiteRTTable *table, const char *_Nullable gpuFolder,
    LiteRtEnvironment _Nullable *_Nonnull environment);

/// Compiles a model, and leaves out the line with which TensorFlow Lite announces its first delegate on the standard error
/// stream, unless `TENSORIO_LOG` is `debug`.
LiteRtStatus clitert_create_compiled_model(
    const CLiteRTTable *table, LiteRtEnvironment environment, LiteRtModel model,
    LiteRtOptions options, LiteRtCompiledModel _Nullable *_Nonnull compiled);

/// Returns the names of the devices that Vulkan finds, each with a line feed, which the caller must
/// `free`; NULL without a Vulkan loader.
char *_Nullable clitert_vulkan_devices(void);

/// Adds a section of options in TOML; the string is copied.
LiteRtStatus clitert_add_options(
    const CLiteRTTable *table, LiteRtOptions options, const char *section, const char *toml);

enum { CLiteRTCPUIDWordCount = 8 };

/// Reads the model and features of the processor; returns false where they are not known.
bool clitert_cpuid(uint32_t *words);

/// Returns the number of dimensions.
size_t clitert_rank(const LiteRtLayout *layout);
/// Returns a dimension; -1 is a dimension of any size.
int32_t clitert_axis(const LiteRtLayout *layout, size_t axis);
/// Sets the dimensions, of which there are at most `CLiteRTMaxRank`.
void clitert_set_dimensions(LiteRtLayout *layout, const int32_t *_Nullable dimensions, size_t rank);

#pragma clang assume_nonnull end

#endif
