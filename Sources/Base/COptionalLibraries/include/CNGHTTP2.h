// The parts of nghttp2's C API that TensorIO uses for HTTP/2.
//
// The library is loaded at run time, on first use, and nothing here is linked: the declarations
// only provide the types of the function table that `cnghttp2_open` fills. All functions exist in
// nghttp2 1.41 and later.

#ifndef CNGHTTP2_H
#define CNGHTTP2_H

#include "FunctionTable.h"

#include <stdint.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

// MARK: Values

/// Types of frames.
enum {
  CNGHTTP2FrameData = 0,
  CNGHTTP2FrameHeaders = 1,
  CNGHTTP2FramePriority = 2,
  CNGHTTP2FrameReset = 3,
  CNGHTTP2FrameSettings = 4,
  CNGHTTP2FramePing = 6,
  CNGHTTP2FrameGoAway = 7,
  CNGHTTP2FrameWindowUpdate = 8,
  CNGHTTP2FrameContinuation = 9,
};
/// The flag of the last frame of a stream.
enum { CNGHTTP2FlagEndStream = 1 };
/// Error codes of streams and connections.
enum {
  CNGHTTP2NoError = 0,
  CNGHTTP2ProtocolError = 1,
  CNGHTTP2InternalError = 2,
  CNGHTTP2RefusedStream = 7,
  CNGHTTP2Cancel = 8,
  CNGHTTP2EnhanceYourCalm = 11,
};
/// Settings of a connection.
enum {
  CNGHTTP2SettingMaxConcurrentStreams = 3,
  CNGHTTP2SettingInitialWindowSize = 4,
  CNGHTTP2SettingMaxFrameSize = 5,
  CNGHTTP2SettingMaxHeaderListSize = 6,
};

typedef struct nghttp2_session nghttp2_session;
typedef struct nghttp2_session_callbacks nghttp2_session_callbacks;
typedef struct nghttp2_option nghttp2_option;

/// The beginning of every frame.
typedef struct {
  size_t length;
  int32_t stream_id;
  uint8_t type;
  uint8_t flags;
  uint8_t reserved;
} nghttp2_frame_hd;

/// A frame, of which only the beginning is used.
typedef struct {
  nghttp2_frame_hd hd;
} nghttp2_frame;

typedef struct {
  const uint8_t *name;
  const uint8_t *value;
  size_t namelen;
  size_t valuelen;
  uint8_t flags;
} nghttp2_nv;

typedef struct {
  int32_t settings_id;
  uint32_t value;
} nghttp2_settings_entry;

typedef union {
  int fd;
  void *_Nullable ptr;
} nghttp2_data_source;

typedef ssize_t (*nghttp2_data_source_read_callback)(
    nghttp2_session *session, int32_t stream, uint8_t *buffer, size_t length, uint32_t *flags,
    nghttp2_data_source *source, void *context);

typedef struct {
  nghttp2_data_source source;
  nghttp2_data_source_read_callback read_callback;
} nghttp2_data_provider;

typedef struct {
  int age;
  int version_num;
  const char *version_str;
  const char *proto_str;
} nghttp2_info;

typedef int (*nghttp2_on_begin_frame_callback)(
    nghttp2_session *session, const nghttp2_frame_hd *head, void *context);
typedef int (*nghttp2_on_begin_headers_callback)(
    nghttp2_session *session, const nghttp2_frame *frame, void *context);
typedef int (*nghttp2_on_header_callback)(
    nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t nameLength,
    const uint8_t *value, size_t valueLength, uint8_t flags, void *context);
typedef int (*nghttp2_on_data_chunk_recv_callback)(
    nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *bytes, size_t count,
    void *context);
typedef int (*nghttp2_on_frame_recv_callback)(
    nghttp2_session *session, const nghttp2_frame *frame, void *context);
typedef int (*nghttp2_on_stream_close_callback)(
    nghttp2_session *session, int32_t stream, uint32_t error, void *context);

// MARK: Functions

nghttp2_info *_Nullable nghttp2_version(int leastVersion);

int nghttp2_session_callbacks_new(nghttp2_session_callbacks *_Nullable *_Nonnull callbacks);
void nghttp2_session_callbacks_del(nghttp2_session_callbacks *_Nullable callbacks);
void nghttp2_session_callbacks_set_on_begin_frame_callback(
    nghttp2_session_callbacks *callbacks, nghttp2_on_begin_frame_callback callback);
void nghttp2_session_callbacks_set_on_begin_headers_callback(
    nghttp2_session_callbacks *callbacks, nghttp2_on_begin_headers_callback callback);
void nghttp2_session_callbacks_set_on_header_callback(
    nghttp2_session_callbacks *callbacks, nghttp2_on_header_callback callback);
void nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
    nghttp2_session_callbacks *callbacks, nghttp2_on_data_chunk_recv_callback callback);
void nghttp2_session_callbacks_set_on_frame_recv_callback(
    nghttp2_session_callbacks *callbacks, nghttp2_on_frame_recv_callback callback);
void nghttp2_session_callbacks_set_on_stream_close_callback(
    nghttp2_session_callbacks *callbacks, nghttp2_on_stream_close_callback callback);

int nghttp2_option_new(nghttp2_option *_Nullable *_Nonnull options);
void nghttp2_option_del(nghttp2_option *_Nullable options);
void nghttp2_option_set_no_auto_window_update(nghttp2_option *options, int value);
void nghttp2_option_set_no_closed_streams(nghttp2_option *options, int value);
void nghttp2_option_set_max_outbound_ack(nghttp2_option *options, size_t value);
void nghttp2_option_set_max_settings(nghttp2_option *options, size_t value);

int nghttp2_session_server_new2(
    nghttp2_session *_Nullable *_Nonnull session, const nghttp2_session_callbacks *callbacks,
    void *context, const nghttp2_option *options);
int nghttp2_session_client_new2(
    nghttp2_session *_Nullable *_Nonnull session, const nghttp2_session_callbacks *callbacks,
    void *context, const nghttp2_option *options);
void nghttp2_session_del(nghttp2_session *_Nullable session);

ssize_t nghttp2_session_mem_recv(nghttp2_session *session, const uint8_t *bytes, size_t count);
ssize_t nghttp2_session_mem_send(
    nghttp2_session *session, const uint8_t *_Nullable *_Nonnull bytes);
int nghttp2_session_want_read(nghttp2_session *session);
int nghttp2_session_want_write(nghttp2_session *session);

int nghttp2_session_consume_connection(nghttp2_session *session, size_t size);
int nghttp2_session_consume_stream(nghttp2_session *session, int32_t stream, size_t size);
int nghttp2_session_set_local_window_size(
    nghttp2_session *session, uint8_t flags, int32_t stream, int32_t size);
int nghttp2_session_resume_data(nghttp2_session *session, int32_t stream);
int32_t nghttp2_session_get_last_proc_stream_id(nghttp2_session *session);
int nghttp2_session_terminate_session(nghttp2_session *session, uint32_t error);

int nghttp2_submit_settings(
    nghttp2_session *session, uint8_t flags, const nghttp2_settings_entry *settings, size_t count);
int32_t nghttp2_submit_request(
    nghttp2_session *session, const void *_Nullable priority, const nghttp2_nv *fields,
    size_t count, const nghttp2_data_provider *_Nullable provider, void *_Nullable context);
int nghttp2_submit_response(
    nghttp2_session *session, int32_t stream, const nghttp2_nv *fields, size_t count,
    const nghttp2_data_provider *_Nullable provider);
int nghttp2_submit_trailer(
    nghttp2_session *session, int32_t stream, const nghttp2_nv *fields, size_t count);
int nghttp2_submit_rst_stream(
    nghttp2_session *session, uint8_t flags, int32_t stream, uint32_t error);
int nghttp2_submit_goaway(
    nghttp2_session *session, uint8_t flags, int32_t lastStream, uint32_t error,
    const uint8_t *_Nullable data, size_t length);
int nghttp2_submit_shutdown_notice(nghttp2_session *session);

#define CNGHTTP2_FUNCTIONS(F)                                                                      \
  F(nghttp2_version)                                                                               \
  F(nghttp2_session_callbacks_new)                                                                 \
  F(nghttp2_session_callbacks_del)                                                                 \
  F(nghttp2_session_callbacks_set_on_begin_frame_callback)                                         \
  F(nghttp2_session_callbacks_set_on_begin_headers_callback)                                       \
  F(nghttp2_session_callbacks_set_on_header_callback)                                              \
  F(nghttp2_session_callbacks_set_on_data_chunk_recv_callback)                                     \
  F(nghttp2_session_callbacks_set_on_frame_recv_callback)                                          \
  F(nghttp2_session_callbacks_set_on_stream_close_callback)                                        \
  F(nghttp2_option_new)                                                                            \
  F(nghttp2_option_del)                                                                            \
  F(nghttp2_option_set_no_auto_window_update)                                                      \
  F(nghttp2_option_set_no_closed_streams)                                                          \
  F(nghttp2_option_set_max_outbound_ack)                                                           \
  F(nghttp2_option_set_max_settings)                                                               \
  F(nghttp2_session_server_new2)                                                                   \
  F(nghttp2_session_client_new2)                                                                   \
  F(nghttp2_session_del)                                                                           \
  F(nghttp2_session_mem_recv)                                                                      \
  F(nghttp2_session_mem_send)                                                                      \
  F(nghttp2_session_want_read)                                                                     \
  F(nghttp2_session_want_write)                                                                    \
  F(nghttp2_session_consume_connection)                                                            \
  F(nghttp2_session_consume_stream)                                                                \
  F(nghttp2_session_set_local_window_size)                                                         \
  F(nghttp2_session_resume_data)                                                                   \
  F(nghttp2_session_get_last_proc_stream_id)                                                       \
  F(nghttp2_session_terminate_session)                                                             \
  F(nghttp2_submit_settings)                                                                       \
  F(nghttp2_submit_request)                                                                        \
  F(nghttp2_submit_response)                                                                       \
  F(nghttp2_submit_trailer)                                                                        \
  F(nghttp2_submit_rst_stream)                                                                     \
  F(nghttp2_submit_goaway)                                                                         \
  F(nghttp2_submit_shutdown_notice)

/// The functions of the loaded library.
typedef struct {
  CNGHTTP2_FUNCTIONS(FUNCTION_TABLE_MEMBER)
} CNGHTTP2Table;

/// Loads the library and looks up all functions.
///
/// The table and the library stay loaded for the lifetime of the process. On failure the result is
/// null and `message` is set to a message, which the caller must `free`.
const CNGHTTP2Table *_Nullable cnghttp2_open(
    const char *path, char *_Nullable *_Nonnull message);

// MARK: Connections

/// What happens on a connection while bytes are received or sent.
///
/// Each function is called with the context of the connection.
typedef struct {
  /// A frame begins; called for continuations of headers as well.
  void (*begin_frame)(void *context, uint8_t type, int32_t stream);
  /// A list of header fields begins.
  void (*begin_headers)(void *context, int32_t stream);
  void (*header)(
      void *context, int32_t stream, const uint8_t *name, size_t nameLength, const uint8_t *value,
      size_t valueLength);
  void (*data)(void *context, int32_t stream, const uint8_t *bytes, size_t count);
  /// A frame is complete.
  void (*frame)(void *context, uint8_t type, uint8_t flags, int32_t stream, size_t length);
  void (*closed)(void *context, int32_t stream, uint32_t error);
  /// Copies bytes to send into a buffer and returns their number, which is 0 if there are none at
  /// the moment; sets `isLast` if none follow.
  size_t (*read)(
      void *context, int32_t stream, uint8_t *buffer, size_t capacity, bool *isLast);
  /// Called before the last bytes of a stream are sent; may call `cnghttp2_trailers` and returns
  /// whether it did.
  bool (*finish)(void *context, int32_t stream);
} CNGHTTP2Events;

/// The limits and windows that this side sets.
typedef struct {
  uint32_t maxConcurrentStreams;
  uint32_t streamWindow;
  int32_t connectionWindow;
  uint32_t maxFrameSize;
  uint32_t maxHeaderListSize;
  size_t maxPendingAcknowledgments;
  size_t maxSettingsPerFrame;
} CNGHTTP2Limits;

/// One side of a connection.
typedef struct CNGHTTP2Connection CNGHTTP2Connection;

/// Header fields as bytes, in which each name is followed by its value, and their lengths.
typedef struct {
  const uint8_t *bytes;
  /// The lengths of the first name, its value, the second name and so on.
  const size_t *lengths;
  size_t count;
} CNGHTTP2Fields;

/// Creates a connection whose settings are sent with the first bytes. Returns null without memory.
CNGHTTP2Connection *_Nullable cnghttp2_new(
    const CNGHTTP2Table *table, bool isServer, const CNGHTTP2Limits *limits,
    const CNGHTTP2Events *events, void *context);
void cnghttp2_free(CNGHTTP2Connection *connection);

/// Processes received bytes. Returns 0, or a negative error if the connection cannot go on.
int cnghttp2_receive(CNGHTTP2Connection *connection, const uint8_t *bytes, size_t count);
/// Returns the number of the next bytes to send, which stay valid until the next call; 0 if there
/// are none, or a negative error.
ssize_t cnghttp2_send(
    CNGHTTP2Connection *connection, const uint8_t *_Nullable *_Nonnull bytes);
/// Whether the connection has to read or write; if not, it is over.
bool cnghttp2_is_active(CNGHTTP2Connection *connection);
bool cnghttp2_wants_write(CNGHTTP2Connection *connection);

/// Sends a request; returns its stream, or a negative error.
int32_t cnghttp2_request(CNGHTTP2Connection *connection, CNGHTTP2Fields fields);
/// Sends the header fields of a response, which are its end unless `hasBody` is true.
int cnghttp2_respond(
    CNGHTTP2Connection *connection, int32_t stream, CNGHTTP2Fields fields, bool hasBody);
int cnghttp2_trailers(CNGHTTP2Connection *connection, int32_t stream, CNGHTTP2Fields fields);
/// Continues with a stream that had no bytes to send.
void cnghttp2_resume(CNGHTTP2Connection *connection, int32_t stream);
void cnghttp2_reset(CNGHTTP2Connection *connection, int32_t stream, uint32_t error);

/// Lets the peer send as many bytes more: on the connection, and on a stream unless it is 0.
void cnghttp2_consume(
    CNGHTTP2Connection *connection, int32_t stream, size_t streamBytes, size_t connectionBytes);
/// Announces that the connection will end.
void cnghttp2_notice(CNGHTTP2Connection *connection);
/// Rejects new streams; those that have begun go on.
void cnghttp2_goaway(CNGHTTP2Connection *connection, uint32_t error);
/// Ends the connection with an error once pending frames are sent.
void cnghttp2_terminate(CNGHTTP2Connection *connection, uint32_t error);

#pragma clang assume_nonnull end

#endif
