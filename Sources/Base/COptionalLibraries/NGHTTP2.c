#include "CNGHTTP2.h"

#include <stdlib.h>

const CNGHTTP2Table *cnghttp2_open(const char *path, char **message) {
  static const char *const names[] = {CNGHTTP2_FUNCTIONS(FUNCTION_TABLE_NAME)};
  return function_table_open(path, FUNCTION_TABLE_LIST(names), message);
}

struct CNGHTTP2Connection {
  const CNGHTTP2Table *table;
  nghttp2_session *session;
  CNGHTTP2Events events;
  void *context;
};

// Return values of callbacks that read data.
enum { deferred = -508, callbackFailed = -902 };
// Flags that a callback sets for the end of data, and for trailers after it.
enum { endOfData = 1, noEndOfStream = 2 };

// MARK: Callbacks

static int onBeginFrame(nghttp2_session *session, const nghttp2_frame_hd *head, void *context) {
  (void)session;
  const CNGHTTP2Connection *connection = context;
  connection->events.begin_frame(connection->context, head->type, head->stream_id);
  return 0;
}

static int onBeginHeaders(nghttp2_session *session, const nghttp2_frame *frame, void *context) {
  (void)session;
  const CNGHTTP2Connection *connection = context;
  connection->events.begin_headers(connection->context, frame->hd.stream_id);
  return 0;
}

static int onHeader(
    nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t nameLength,
    const uint8_t *value, size_t valueLength, uint8_t flags, void *context) {
  (void)session, (void)flags;
  const CNGHTTP2Connection *connection = context;
  connection->events.header(
      connection->context, frame->hd.stream_id, name, nameLength, value, valueLength);
  return 0;
}

static int onData(
    nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *bytes, size_t count,
    void *context) {
  (void)session, (void)flags;
  const CNGHTTP2Connection *connection = context;
  connection->events.data(connection->context, stream, bytes, count);
  return 0;
}

static int onFrame(nghttp2_session *session, const nghttp2_frame *frame, void *context) {
  (void)session;
  const CNGHTTP2Connection *connection = context;
  connection->events.frame(
      connection->context, frame->hd.type, frame->hd.flags, frame->hd.stream_id, frame->hd.length);
  return 0;
}

static int onClose(nghttp2_session *session, int32_t stream, uint32_t error, void *context) {
  (void)session;
  const CNGHTTP2Connection *connection = context;
  connection->events.closed(connection->context, stream, error);
  return 0;
}

static ssize_t readData(
    nghttp2_session *session, int32_t stream, uint8_t *buffer, size_t capacity, uint32_t *flags,
    nghttp2_data_source *source, void *context) {
  (void)session, (void)source;
  const CNGHTTP2Connection *connection = context;
  bool isLast = false;
  const size_t count =
      connection->events.read(connection->context, stream, buffer, capacity, &isLast);
  if (isLast) {
    *flags |= endOfData;
    if (connection->events.finish(connection->context, stream)) *flags |= noEndOfStream;
  } else if (!count) {
    return deferred;
  }
  return (ssize_t)count;
}

// MARK: Creation

static nghttp2_session *newSession(
    CNGHTTP2Connection *connection, bool isServer, const CNGHTTP2Limits *limits) {
  const CNGHTTP2Table *table = connection->table;
  nghttp2_session_callbacks *callbacks = NULL;
  nghttp2_option *options = NULL;
  nghttp2_session *session = NULL;
  if (!table->nghttp2_session_callbacks_new(&callbacks) && !table->nghttp2_option_new(&options)) {
    table->nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks, onBeginFrame);
    table->nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, onBeginHeaders);
    table->nghttp2_session_callbacks_set_on_header_callback(callbacks, onHeader);
    table->nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, onData);
    table->nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, onFrame);
    table->nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, onClose);
    table->nghttp2_option_set_no_auto_window_update(options, 1);
    table->nghttp2_option_set_no_closed_streams(options, 1);
    table->nghttp2_option_set_max_outbound_ack(options, limits->maxPendingAcknowledgments);
    table->nghttp2_option_set_max_settings(options, limits->maxSettingsPerFrame);
    const int status = isServer
        ? table->nghttp2_session_server_new2(&session, callbacks, connection, options)
        : table->nghttp2_session_client_new2(&session, callbacks, connection, options);
    if (status) session = NULL;
  }
  table->nghttp2_option_del(options);
  table->nghttp2_session_callbacks_del(callbacks);
  return session;
}

CNGHTTP2Connection *cnghttp2_new(
    const CNGHTTP2Table *table, bool isServer, const CNGHTTP2Limits *limits,
    const CNGHTTP2Events *events, void *context) {
  CNGHTTP2Connection *connection = calloc(1, sizeof *connection);
  if (!connection) return NULL;
  *connection = (CNGHTTP2Connection){.table = table, .events = *events, .context = context};
  nghttp2_session *session = newSession(connection, isServer, limits);
  if (!session) return free(connection), NULL;
  connection->session = session;
  const nghttp2_settings_entry settings[] = {
      {CNGHTTP2SettingMaxConcurrentStreams, limits->maxConcurrentStreams},
      {CNGHTTP2SettingInitialWindowSize, limits->streamWindow},
      {CNGHTTP2SettingMaxFrameSize, limits->maxFrameSize},
      {CNGHTTP2SettingMaxHeaderListSize, limits->maxHeaderListSize},
  };
  if (table->nghttp2_submit_settings(session, 0, settings, sizeof settings / sizeof *settings) ||
      table->nghttp2_session_set_local_window_size(session, 0, 0, limits->connectionWindow))
    return cnghttp2_free(connection), NULL;
  return connection;
}

void cnghttp2_free(CNGHTTP2Connection *connection) {
  connection->table->nghttp2_session_del(connection->session);
  free(connection);
}

// MARK: Bytes

int cnghttp2_receive(CNGHTTP2Connection *connection, const uint8_t *bytes, size_t count) {
  const ssize_t processed =
      connection->table->nghttp2_session_mem_recv(connection->session, bytes, count);
  if (processed < 0) return (int)processed;
  return (size_t)processed == count ? 0 : callbackFailed;
}

ssize_t cnghttp2_send(CNGHTTP2Connection *connection, const uint8_t **bytes) {
  return connection->table->nghttp2_session_mem_send(connection->session, bytes);
}

bool cnghttp2_is_active(CNGHTTP2Connection *connection) {
  return connection->table->nghttp2_session_want_read(connection->session) ||
      connection->table->nghttp2_session_want_write(connection->session);
}

bool cnghttp2_wants_write(CNGHTTP2Connection *connection) {
  return connection->table->nghttp2_session_want_write(connection->session);
}

// MARK: Streams

// Responses and trailers of this server have few fields.
enum { maxFields = 64 };

static size_t fill(nghttp2_nv *list, CNGHTTP2Fields fields) {
  const uint8_t *next = fields.bytes;
  const size_t count = fields.count < maxFields ? fields.count : maxFields;
  for (size_t index = 0; index < count; index++) {
    const size_t name = fields.lengths[2 * index], value = fields.lengths[2 * index + 1];
    list[index] = (nghttp2_nv){next, next + name, name, value, 0};
    next += name + value;
  }
  return count;
}

int32_t cnghttp2_request(CNGHTTP2Connection *connection, CNGHTTP2Fields fields) {
  nghttp2_nv list[maxFields];
  const nghttp2_data_provider provider = {.read_callback = readData};
  return connection->table->nghttp2_submit_request(
      connection->session, NULL, list, fill(list, fields), &provider, NULL);
}

int cnghttp2_respond(
    CNGHTTP2Connection *connection, int32_t stream, CNGHTTP2Fields fields, bool hasBody) {
  nghttp2_nv list[maxFields];
  const nghttp2_data_provider provider = {.read_callback = readData};
  return connection->table->nghttp2_submit_response(
      connection->session, stream, list, fill(list, fields), hasBody ? &provider : NULL);
}

int cnghttp2_trailers(CNGHTTP2Connection *connection, int32_t stream, CNGHTTP2Fields fields) {
  nghttp2_nv list[maxFields];
  return connection->table->nghttp2_submit_trailer(
      connection->session, stream, list, fill(list, fields));
}

void cnghttp2_resume(CNGHTTP2Connection *connection, int32_t stream) {
  connection->table->nghttp2_session_resume_data(connection->session, stream);
}

void cnghttp2_reset(CNGHTTP2Connection *connection, int32_t stream, uint32_t error) {
  connection->table->nghttp2_submit_rst_stream(connection->session, 0, stream, error);
}

void cnghttp2_consume(
    CNGHTTP2Connection *connection, int32_t stream, size_t streamBytes, size_t connectionBytes) {
  if (connectionBytes)
    connection->table->nghttp2_session_consume_connection(connection->session, connectionBytes);
  if (streamBytes)
    connection->table->nghttp2_session_consume_stream(connection->session, stream, streamBytes);
}

void cnghttp2_notice(CNGHTTP2Connection *connection) {
  connection->table->nghttp2_submit_shutdown_notice(connection->session);
}

void cnghttp2_goaway(CNGHTTP2Connection *connection, uint32_t error) {
  const int32_t last =
      connection->table->nghttp2_session_get_last_proc_stream_id(connection->session);
  connection->table->nghttp2_submit_goaway(connection->session, 0, last, error, NULL, 0);
}

void cnghttp2_terminate(CNGHTTP2Connection *connection, uint32_t error) {
  connection->table->nghttp2_session_terminate_session(connection->session, error);
}
