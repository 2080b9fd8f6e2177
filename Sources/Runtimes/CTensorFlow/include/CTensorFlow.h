// The part of TensorFlow's C API that TensorIO uses, for TensorFlow 2.21.0.
//
// The library is opened at run time. These declarations are never linked; they define the types of
// the function table that `ctensorflow_open` fills.

#ifndef CTENSORFLOW_H
#define CTENSORFLOW_H

#include <FunctionTable.h>

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// MARK: Values

/// TensorFlow's codes of element types.
enum {
  CTensorFlowFloat32 = 1,
  CTensorFlowFloat64 = 2,
  CTensorFlowInt32 = 3,
  CTensorFlowUInt8 = 4,
  CTensorFlowInt16 = 5,
  CTensorFlowInt8 = 6,
  CTensorFlowString = 7,
  CTensorFlowInt64 = 9,
  CTensorFlowBool = 10,
  CTensorFlowFloat16 = 19,
};

/// An element of a string tensor; its contents are opaque.
typedef struct {
  uint64_t words[3];
} TF_TString;

/// Bytes with their deallocator.
typedef struct {
  const void *_Nullable data;
  size_t length;
  void (*_Nullable data_deallocator)(void *data, size_t length);
} TF_Buffer;

// MARK: Handles

typedef struct TF_Status TF_Status;
typedef struct TF_SessionOptions TF_SessionOptions;
typedef struct TF_Graph TF_Graph;
typedef struct TF_Operation TF_Operation;
typedef struct TF_OperationDescription TF_OperationDescription;
typedef struct TF_Session TF_Session;
typedef struct TF_Tensor TF_Tensor;

/// An output of an operation.
typedef struct {
  TF_Operation *oper;
  int index;
} TF_Output;

// MARK: Functions

const char *TF_Version(void);

TF_Status *_Nullable TF_NewStatus(void);
void TF_DeleteStatus(TF_Status *status);
/// 0 is success; `TensorFlowStatus` in `TensorFlowLibrary.swift` describes the error codes.
int TF_GetCode(const TF_Status *status);
const char *TF_Message(const TF_Status *status);

TF_Buffer *_Nullable TF_GetAllOpList(void);
void TF_DeleteBuffer(TF_Buffer *buffer);

TF_SessionOptions *_Nullable TF_NewSessionOptions(void);
void TF_DeleteSessionOptions(TF_SessionOptions *options);
/// The bytes are a serialized `ConfigProto`.
void TF_SetConfig(
    TF_SessionOptions *options, const void *bytes, size_t count, TF_Status *status);

TF_Graph *_Nullable TF_NewGraph(void);
void TF_DeleteGraph(TF_Graph *graph);
TF_Operation *_Nullable TF_GraphOperationByName(TF_Graph *graph, const char *name);
/// Returns -1 if the rank is unknown.
int TF_GraphGetTensorNumDims(TF_Graph *graph, TF_Output output, TF_Status *status);
void TF_GraphGetTensorShape(
    TF_Graph *graph, TF_Output output, int64_t *_Nullable lengths, int count, TF_Status *status);
/// Iterates over all operations; `position` starts at 0.
TF_Operation *_Nullable TF_GraphNextOperation(TF_Graph *graph, size_t *position);

const char *TF_OperationName(TF_Operation *operation);
const char *TF_OperationOpType(TF_Operation *operation);
int TF_OperationNumOutputs(TF_Operation *operation);
int TF_OperationOutputType(TF_Output output);
void TF_OperationGetAttrType(
    TF_Operation *operation, const char *name, int *type, TF_Status *status);

/// Begins a new operation, which has to be finished.
TF_OperationDescription *_Nullable TF_NewOperation(
    TF_Graph *graph, const char *type, const char *name);
void TF_AddInput(TF_OperationDescription *description, TF_Output input);
void TF_SetAttrType(TF_OperationDescription *description, const char *name, int type);
/// Adds the operation to its graph and releases the description, also if it fails.
TF_Operation *_Nullable TF_FinishOperation(
    TF_OperationDescription *description, TF_Status *status);

TF_Session *_Nullable TF_LoadSessionFromSavedModel(
    const TF_SessionOptions *options, const TF_Buffer *_Nullable runOptions, const char *folder,
    const char *_Nullable const *_Nonnull tags, int tagCount, TF_Graph *graph,
    TF_Buffer *_Nullable metaGraph, TF_Status *status);
void TF_CloseSession(TF_Session *session, TF_Status *status);
void TF_DeleteSession(TF_Session *session, TF_Status *status);
void TF_SessionRun(
    TF_Session *session, const TF_Buffer *_Nullable runOptions, const TF_Output *_Nullable inputs,
    TF_Tensor *_Nullable const *_Nullable inputValues, int inputCount,
    const TF_Output *_Nullable outputs, TF_Tensor *_Nullable *_Nullable outputValues,
    int outputCount, const TF_Operation *_Nullable const *_Nullable targets, int targetCount,
    TF_Buffer *_Nullable runMetadata, TF_Status *status);

TF_Tensor *_Nullable TF_NewTensor(
    int type, const int64_t *_Nullable lengths, int axisCount, void *memory, size_t byteCount,
    void (*release)(void *memory, size_t byteCount, void *_Nullable argument),
    void *_Nullable argument);
TF_Tensor *_Nullable TF_AllocateTensor(
    int type, const int64_t *_Nullable lengths, int axisCount, size_t byteCount);
void TF_DeleteTensor(TF_Tensor *tensor);
int TF_TensorType(const TF_Tensor *tensor);
int TF_NumDims(const TF_Tensor *tensor);
int64_t TF_Dim(const TF_Tensor *tensor, int axis);
size_t TF_TensorByteSize(const TF_Tensor *tensor);
void *_Nullable TF_TensorData(const TF_Tensor *tensor);

void TF_StringInit(TF_TString *string);
void TF_StringCopy(TF_TString *string, const char *_Nullable bytes, size_t count);
const char *_Nullable TF_StringGetDataPointer(const TF_TString *string);
size_t TF_StringGetSize(const TF_TString *string);
void TF_StringDealloc(TF_TString *string);

// MARK: The table

/// All functions declared above; a function that is not listed cannot be called.
#define CTENSORFLOW_FUNCTIONS(FUNCTION)                                                            \
  FUNCTION(TF_Version)                                                                             \
  FUNCTION(TF_NewStatus)                                                                           \
  FUNCTION(TF_DeleteStatus)                                                                        \
  FUNCTION(TF_GetCode)                                                                             \
  FUNCTION(TF_Message)                                                                             \
  FUNCTION(TF_GetAllOpList)                                                                        \
  FUNCTION(TF_DeleteBuffer)                                                                        \
  FUNCTION(TF_NewSessionOptions)                                                                   \
  FUNCTION(TF_DeleteSessionOptions)                                                                \
  FUNCTION(TF_SetConfig)                                                                           \
  FUNCTION(TF_NewGraph)                                                                            \
  FUNCTION(TF_DeleteGraph)                                                                         \
  FUNCTION(TF_GraphOperationByName)                                                                \
  FUNCTION(TF_GraphGetTensorNumDims)                                                               \
  FUNCTION(TF_GraphGetTensorShape)                                                                 \
  FUNCTION(TF_GraphNextOperation)                                                                  \
  FUNCTION(TF_OperationName)                                                                       \
  FUNCTION(TF_OperationOpType)                                                                     \
  FUNCTION(TF_OperationNumOutputs)                                                                 \
  FUNCTION(TF_OperationOutputType)                                                                 \
  FUNCTION(TF_OperationGetAttrType)                                                                \
  FUNCTION(TF_NewOperation)                                                                        \
  FUNCTION(TF_AddInput)                                                                            \
  FUNCTION(TF_SetAttrType)                                                                         \
  FUNCTION(TF_FinishOperation)                                                                     \
  FUNCTION(TF_LoadSessionFromSavedModel)                                                           \
  FUNCTION(TF_CloseSession)                                                                        \
  FUNCTION(TF_DeleteSession)                                                                       \
  FUNCTION(TF_SessionRun)                                                                          \
  FUNCTION(TF_NewTensor)                                                                           \
  FUNCTION(TF_AllocateTensor)                                                                      \
  FUNCTION(TF_DeleteTensor)                                                                        \
  FUNCTION(TF_TensorType)                                                                          \
  FUNCTION(TF_NumDims)                                                                             \
  FUNCTION(TF_Dim)                                                                                 \
  FUNCTION(TF_TensorByteSize)                                                                      \
  FUNCTION(TF_TensorData)                                                                          \
  FUNCTION(TF_StringInit)                                                                          \
  FUNCTION(TF_StringCopy)                                                                          \
  FUNCTION(TF_StringGetDataPointer)                                                                \
  FUNCTION(TF_StringGetSize)                                                                       \
  FUNCTION(TF_StringDealloc)

/// The functions of an open library.
typedef struct {
  CTENSORFLOW_FUNCTIONS(FUNCTION_TABLE_MEMBER)
} CTensorFlowTable;

/// Opens a library and looks up all functions.
///
/// The table and the library are never released. On failure it returns NULL and an error message,
/// which the caller must `free`.
const CTensorFlowTable *_Nullable ctensorflow_open(
    const char *path, char *_Nullable *_Nonnull message);

// MARK: Functions that cannot be written in Swift

/// Creates a tensor of empty strings.
///
/// Unlike with `TF_AllocateTensor`, the memory of the elements is released with the tensor.
TF_Tensor *_Nullable ctensorflow_new_strings(
    const CTensorFlowTable *table, const int64_t *_Nullable lengths, int axisCount, size_t count);

#pragma clang assume_nonnull end

#endif
