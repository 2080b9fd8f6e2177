// The part of ONNX Runtime's C API that TensorIO uses, for ONNX Runtime 1.28.0.
//
// The library is opened at run time. It exports one function, which returns an array of pointers to
// all others; functions are only ever appended to that array. These declarations are never linked;
// they define the types of the function table that `connx_open` fills.

#ifndef CONNX_H
#define CONNX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// MARK: Values

/// ONNX's codes of element types.
enum {
  CONNXFloat32 = 1,
  CONNXUInt8 = 2,
  CONNXInt8 = 3,
  CONNXUInt16 = 4,
  CONNXInt16 = 5,
  CONNXInt32 = 6,
  CONNXInt64 = 7,
  CONNXString = 8,
  CONNXBool = 9,
  CONNXFloat16 = 10,
  CONNXFloat64 = 11,
  CONNXUInt32 = 12,
  CONNXUInt64 = 13,
  CONNXBFloat16 = 16,
};

/// The kind of a value that is a tensor.
enum {
  CONNXTensor = 1,
};

/// The version of the API that the table is requested for.
enum { CONNXAPIVersion = 18 };

// MARK: Handles

typedef struct OrtStatus OrtStatus;
typedef struct OrtEnv OrtEnv;
typedef struct OrtSession OrtSession;
typedef struct OrtSessionOptions OrtSessionOptions;
typedef struct OrtRunOptions OrtRunOptions;
typedef struct OrtIoBinding OrtIoBinding;
typedef struct OrtValue OrtValue;
typedef struct OrtAllocator OrtAllocator;
typedef struct OrtMemoryInfo OrtMemoryInfo;
typedef struct OrtTypeInfo OrtTypeInfo;
typedef struct OrtTensorTypeAndShapeInfo OrtTensorTypeAndShapeInfo;

typedef void (*OrtLoggingFunction)(
    void *_Nullable parameter, int severity, const char *_Nullable category,
    const char *_Nullable identifier, const char *_Nullable location,
    const char *_Nullable message);

// MARK: Functions

// A null status is success. Others are released by the caller.

int OrtGetErrorCode(const OrtStatus *status);
const char *OrtGetErrorMessage(const OrtStatus *status);
void OrtReleaseStatus(OrtStatus *status);

OrtStatus *_Nullable OrtCreateEnvWithCustomLogger(
    OrtLoggingFunction logger, void *_Nullable parameter, int severity, const char *identifier,
    OrtEnv *_Nullable *_Nonnull environment);

OrtStatus *_Nullable OrtCreateSessionOptions(OrtSessionOptions *_Nullable *_Nonnull options);
OrtStatus *_Nullable OrtSetSessionLogSeverityLevel(OrtSessionOptions *options, int severity);
OrtStatus *_Nullable OrtSetIntraOpNumThreads(OrtSessionOptions *options, int count);
OrtStatus *_Nullable OrtSetInterOpNumThreads(OrtSessionOptions *options, int count);
OrtStatus *_Nullable OrtAddSessionConfigEntry(
    OrtSessionOptions *options, const char *key, const char *value);
/// The buffers are read when the session is created.
OrtStatus *_Nullable OrtAddExternalInitializersFromFilesInMemory(
    OrtSessionOptions *options, const char *_Nullable const *_Nonnull names,
    char *_Nullable const *_Nonnull buffers, const size_t *lengths, size_t count);
void OrtReleaseSessionOptions(OrtSessionOptions *options);

/// Reads the model's file from the beginning to the end.
OrtStatus *_Nullable OrtCreateSession(
    const OrtEnv *environment, const char *path, const OrtSessionOptions *options,
    OrtSession *_Nullable *_Nonnull session);
/// Copies what it needs of the model.
OrtStatus *_Nullable OrtCreateSessionFromArray(
    const OrtEnv *environment, const void *model, size_t byteCount,
    const OrtSessionOptions *options, OrtSession *_Nullable *_Nonnull session);
void OrtReleaseSession(OrtSession *session);
OrtStatus *_Nullable OrtSessionGetInputCount(const OrtSession *session, size_t *count);
OrtStatus *_Nullable OrtSessionGetOutputCount(const OrtSession *session, size_t *count);
OrtStatus *_Nullable OrtSessionGetInputTypeInfo(
    const OrtSession *session, size_t index, OrtTypeInfo *_Nullable *_Nonnull info);
OrtStatus *_Nullable OrtSessionGetOutputTypeInfo(
    const OrtSession *session, size_t index, OrtTypeInfo *_Nullable *_Nonnull info);
/// The caller frees the name with `OrtAllocatorFree`.
OrtStatus *_Nullable OrtSessionGetInputName(
    const OrtSession *session, size_t index, OrtAllocator *allocator,
    char *_Nullable *_Nonnull name);
/// The caller frees the name with `OrtAllocatorFree`.
OrtStatus *_Nullable OrtSessionGetOutputName(
    const OrtSession *session, size_t index, OrtAllocator *allocator,
    char *_Nullable *_Nonnull name);
OrtStatus *_Nullable OrtCreateRunOptions(OrtRunOptions *_Nullable *_Nonnull options);
void OrtReleaseRunOptions(OrtRunOptions *options);
/// Makes the runs with these options end with an error; it may be called during a run.
OrtStatus *_Nullable OrtRunOptionsSetTerminate(OrtRunOptions *options);
OrtStatus *_Nullable OrtRunOptionsUnsetTerminate(OrtRunOptions *options);
/// Computes the outputs that are null in `outputs` in new memory.
///
/// Several threads may run one session at the same time.
OrtStatus *_Nullable OrtRun(
    OrtSession *session, const OrtRunOptions *_Nullable options,
    const char *_Nullable const *_Nullable inputNames,
    const OrtValue *_Nullable const *_Nullable inputs, size_t inputCount,
    const char *_Nullable const *_Nullable outputNames, size_t outputCount,
    OrtValue *_Nullable *_Nullable outputs);

/// Creates an empty list of the values that runs of a session read and write.
OrtStatus *_Nullable OrtCreateIoBinding(
    OrtSession *session, OrtIoBinding *_Nullable *_Nonnull binding);
void OrtReleaseIoBinding(OrtIoBinding *binding);
OrtStatus *_Nullable OrtBindInput(
    OrtIoBinding *binding, const char *name, const OrtValue *value);
OrtStatus *_Nullable OrtBindOutput(
    OrtIoBinding *binding, const char *name, const OrtValue *value);
/// Computes the bound outputs in their memory.
OrtStatus *_Nullable OrtRunWithBinding(
    OrtSession *session, const OrtRunOptions *_Nullable options, const OrtIoBinding *binding);

OrtStatus *_Nullable OrtGetOnnxTypeFromTypeInfo(const OrtTypeInfo *info, int *kind);
/// The result belongs to `info`; it is null if the value is not a tensor.
OrtStatus *_Nullable OrtCastTypeInfoToTensorInfo(
    const OrtTypeInfo *info, const OrtTensorTypeAndShapeInfo *_Nullable *_Nonnull tensor);
void OrtReleaseTypeInfo(OrtTypeInfo *info);
OrtStatus *_Nullable OrtGetTensorElementType(const OrtTensorTypeAndShapeInfo *info, int *type);
OrtStatus *_Nullable OrtGetDimensionsCount(const OrtTensorTypeAndShapeInfo *info, size_t *count);
/// Dynamic dimensions are -1.
OrtStatus *_Nullable OrtGetDimensions(
    const OrtTensorTypeAndShapeInfo *info, int64_t *_Nullable dimensions, size_t count);
void OrtReleaseTensorTypeAndShapeInfo(OrtTensorTypeAndShapeInfo *info);

OrtStatus *_Nullable OrtCreateCpuMemoryInfo(
    int allocatorType, int memoryType, OrtMemoryInfo *_Nullable *_Nonnull info);
OrtStatus *_Nullable OrtGetAllocatorWithDefaultOptions(
    OrtAllocator *_Nullable *_Nonnull allocator);
OrtStatus *_Nullable OrtAllocatorFree(OrtAllocator *allocator, void *memory);

OrtStatus *_Nullable OrtCreateTensorAsOrtValue(
    OrtAllocator *allocator, const int64_t *_Nullable dimensions, size_t rank, int type,
    OrtValue *_Nullable *_Nonnull value);
/// The memory belongs to the caller and has to exist as long as the value.
OrtStatus *_Nullable OrtCreateTensorWithDataAsOrtValue(
    const OrtMemoryInfo *info, void *memory, size_t byteCount,
    const int64_t *_Nullable dimensions, size_t rank, int type,
    OrtValue *_Nullable *_Nonnull value);
OrtStatus *_Nullable OrtGetTensorMutableData(
    OrtValue *value, void *_Nullable *_Nonnull memory);
/// The caller releases the result.
OrtStatus *_Nullable OrtGetTensorTypeAndShape(
    const OrtValue *value, OrtTensorTypeAndShapeInfo *_Nullable *_Nonnull info);
OrtStatus *_Nullable OrtGetResizedStringTensorElementBuffer(
    OrtValue *value, size_t index, size_t byteCount, char *_Nullable *_Nonnull buffer);
OrtStatus *_Nullable OrtGetStringTensorDataLength(const OrtValue *value, size_t *byteCount);
OrtStatus *_Nullable OrtGetStringTensorContent(
    const OrtValue *value, void *_Nullable bytes, size_t byteCount, size_t *_Nullable offsets,
    size_t count);
void OrtReleaseValue(OrtValue *value);

// MARK: The table

/// All functions declared above with their indexes in the library's array; a function that is not
/// listed cannot be called.
#define CONNX_FUNCTIONS(FUNCTION)                                                                  \
  FUNCTION(1, OrtGetErrorCode)                                                                     \
  FUNCTION(2, OrtGetErrorMessage)                                                                  \
  FUNCTION(4, OrtCreateEnvWithCustomLogger)                                                        \
  FUNCTION(7, OrtCreateSession)                                                                    \
  FUNCTION(8, OrtCreateSessionFromArray)                                                           \
  FUNCTION(9, OrtRun)                                                                              \
  FUNCTION(10, OrtCreateSessionOptions)                                                            \
  FUNCTION(22, OrtSetSessionLogSeverityLevel)                                                      \
  FUNCTION(24, OrtSetIntraOpNumThreads)                                                            \
  FUNCTION(25, OrtSetInterOpNumThreads)                                                            \
  FUNCTION(30, OrtSessionGetInputCount)                                                            \
  FUNCTION(31, OrtSessionGetOutputCount)                                                           \
  FUNCTION(33, OrtSessionGetInputTypeInfo)                                                         \
  FUNCTION(34, OrtSessionGetOutputTypeInfo)                                                        \
  FUNCTION(36, OrtSessionGetInputName)                                                             \
  FUNCTION(37, OrtSessionGetOutputName)                                                            \
  FUNCTION(39, OrtCreateRunOptions)                                                                \
  FUNCTION(46, OrtRunOptionsSetTerminate)                                                          \
  FUNCTION(47, OrtRunOptionsUnsetTerminate)                                                        \
  FUNCTION(48, OrtCreateTensorAsOrtValue)                                                          \
  FUNCTION(49, OrtCreateTensorWithDataAsOrtValue)                                                  \
  FUNCTION(51, OrtGetTensorMutableData)                                                            \
  FUNCTION(53, OrtGetStringTensorDataLength)                                                       \
  FUNCTION(54, OrtGetStringTensorContent)                                                          \
  FUNCTION(55, OrtCastTypeInfoToTensorInfo)                                                        \
  FUNCTION(56, OrtGetOnnxTypeFromTypeInfo)                                                         \
  FUNCTION(60, OrtGetTensorElementType)                                                            \
  FUNCTION(61, OrtGetDimensionsCount)                                                              \
  FUNCTION(62, OrtGetDimensions)                                                                   \
  FUNCTION(65, OrtGetTensorTypeAndShape)                                                           \
  FUNCTION(69, OrtCreateCpuMemoryInfo)                                                             \
  FUNCTION(76, OrtAllocatorFree)                                                                   \
  FUNCTION(78, OrtGetAllocatorWithDefaultOptions)                                                  \
  FUNCTION(93, OrtReleaseStatus)                                                                   \
  FUNCTION(95, OrtReleaseSession)                                                                  \
  FUNCTION(96, OrtReleaseValue)                                                                    \
  FUNCTION(97, OrtReleaseRunOptions)                                                               \
  FUNCTION(98, OrtReleaseTypeInfo)                                                                 \
  FUNCTION(99, OrtReleaseTensorTypeAndShapeInfo)                                                   \
  FUNCTION(100, OrtReleaseSessionOptions)                                                          \
  FUNCTION(130, OrtAddSessionConfigEntry)                                                          \
  FUNCTION(133, OrtRunWithBinding)                                                                 \
  FUNCTION(134, OrtCreateIoBinding)                                                                \
  FUNCTION(135, OrtReleaseIoBinding)                                                               \
  FUNCTION(136, OrtBindInput)                                                                      \
  FUNCTION(137, OrtBindOutput)                                                                     \
  FUNCTION(252, OrtGetResizedStringTensorElementBuffer)                                            \
  FUNCTION(279, OrtAddExternalInitializersFromFilesInMemory)

#define CONNX_MEMBER(index, name) __typeof__(name) *name;

/// The functions of an open library.
typedef struct {
  CONNX_FUNCTIONS(CONNX_MEMBER)
  /// The version of the library.
  const char *version;
} CONNXTable;

/// Opens a library and reads the functions from its array.
///
/// Sets `ORT_DISABLE_TELEMETRY` in the environment of the process first, because ONNX Runtime 1.29
/// and later otherwise sends data about its use to its vendor.
///
/// The table and the library are never released. On failure it returns NULL and an error message,
/// which the caller must `free`.
const CONNXTable *_Nullable connx_open(const char *path, char *_Nullable *_Nonnull message);

// MARK: Functions that cannot be written in Swift

/// Creates the environment, whose log messages are discarded.
OrtStatus *_Nullable connx_create_environment(
    const CONNXTable *table, OrtEnv *_Nullable *_Nonnull environment);

/// Stores the reading and the writing end of a pipe that no other program inherits, and returns 0; returns -1 on
/// failure.
int connx_pipe(int ends[_Nonnull 2]);

#pragma clang assume_nonnull end

#endif
