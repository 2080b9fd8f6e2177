// The parts of expat's C API that TensorIO uses to read XML annotations.
//
// The library is loaded at run time, on first use, and nothing here is linked: the declarations
// only provide the types of the function table that `cexpat_open` fills. All functions exist in
// expat 2.0 and later.

#ifndef CEXPAT_H
#define CEXPAT_H

#include "FunctionTable.h"

#pragma clang assume_nonnull begin

// MARK: Values

/// Return values of `XML_Parse`.
enum { CExpatStatusError = 0, CExpatStatusOK = 1 };
/// Return values of `XML_GetErrorCode`.
enum {
  CExpatErrorNoMemory = 1,
  CExpatErrorInvalidToken = 4,
  CExpatErrorPartialCharacter = 6,
  CExpatErrorTagMismatch = 7,
  CExpatErrorUndefinedEntity = 11,
};

typedef struct XML_ParserStruct *XML_Parser;

/// Called at the start of an element; the attributes are names and values, followed by NULL.
typedef void CExpatStartElement(
    void *_Nullable userData, const char *name,
    const char *_Nullable *_Nonnull attributes);
typedef void CExpatEndElement(void *_Nullable userData, const char *name);
/// Called with text, which is not terminated. Consecutive text may be split into several calls.
typedef void CExpatCharacterData(void *_Nullable userData, const char *text, int byteCount);
typedef void CExpatStartDoctype(
    void *_Nullable userData, const char *name, const char *_Nullable systemID,
    const char *_Nullable publicID, int hasInternalSubset);

// MARK: Functions

const char *XML_ExpatVersion(void);
XML_Parser _Nullable XML_ParserCreate(const char *_Nullable encoding);
void XML_ParserFree(XML_Parser parser);
void XML_SetUserData(XML_Parser parser, void *_Nullable userData);
void XML_SetElementHandler(XML_Parser parser, CExpatStartElement *start, CExpatEndElement *end);
void XML_SetCharacterDataHandler(XML_Parser parser, CExpatCharacterData *handler);
void XML_SetStartDoctypeDeclHandler(XML_Parser parser, CExpatStartDoctype *handler);
int XML_Parse(XML_Parser parser, const char *_Nullable bytes, int count, int isFinal);
int XML_StopParser(XML_Parser parser, unsigned char resumable);
int XML_GetErrorCode(XML_Parser parser);
const char *_Nullable XML_ErrorString(int code);
long XML_GetCurrentByteIndex(XML_Parser parser);

// MARK: The table

#define CEXPAT_FUNCTIONS(F)                                                                        \
  F(XML_ExpatVersion)                                                                              \
  F(XML_ParserCreate)                                                                              \
  F(XML_ParserFree)                                                                                \
  F(XML_SetUserData)                                                                               \
  F(XML_SetElementHandler)                                                                         \
  F(XML_SetCharacterDataHandler)                                                                   \
  F(XML_SetStartDoctypeDeclHandler)                                                                \
  F(XML_Parse)                                                                                     \
  F(XML_StopParser)                                                                                \
  F(XML_GetErrorCode)                                                                              \
  F(XML_ErrorString)                                                                               \
  F(XML_GetCurrentByteIndex)

/// The functions of the loaded library.
typedef struct {
  CEXPAT_FUNCTIONS(FUNCTION_TABLE_MEMBER)
} CExpatTable;

/// Loads the library and looks up all functions.
///
/// The table and the library stay loaded for the lifetime of the process. On failure the result is
/// null and `message` is set to a message, which the caller must `free`.
const CExpatTable *_Nullable cexpat_open(const char *path, char *_Nullable *_Nonnull message);

#pragma clang assume_nonnull end

#endif
