// libsodium's C API, as far as bundles are signed with it.
//
// The library is opened when a signature or a key is first asked for, so nothing here is ever linked
// and the start of a program does not pay for it: the declarations only give types to the table of
// functions that `csodium_open` looks up. Everything in use is there since libsodium 1.0.12.

#ifndef CSODIUM_H
#define CSODIUM_H

#include <CFunctionTable.h>

#pragma clang assume_nonnull begin

/// Must be called before anything else, by any thread; -1 when there is no randomness to be had.
int sodium_init(void);
const char *sodium_version_string(void);

void randombytes_buf(void *bytes, size_t byteCount);

int crypto_sign_ed25519_keypair(unsigned char *publicKey, unsigned char *secretKey);
int crypto_sign_ed25519_detached(
    unsigned char *signature, unsigned long long *_Nullable signatureLength,
    const unsigned char *message, unsigned long long messageLength,
    const unsigned char *secretKey);
int crypto_sign_ed25519_verify_detached(
    const unsigned char *signature, const unsigned char *message,
    unsigned long long messageLength, const unsigned char *publicKey);

int crypto_generichash_blake2b(
    unsigned char *digest, size_t digestLength, const unsigned char *message,
    unsigned long long messageLength, const unsigned char *_Nullable key, size_t keyLength);

int crypto_pwhash_scryptsalsa208sha256(
    unsigned char *stream, unsigned long long streamLength, const char *password,
    unsigned long long passwordLength, const unsigned char *salt, unsigned long long operations,
    size_t memory);

#define CSODIUM_FUNCTIONS(F)                                                                       \
  F(sodium_init)                                                                                   \
  F(sodium_version_string)                                                                         \
  F(randombytes_buf)                                                                               \
  F(crypto_sign_ed25519_keypair)                                                                   \
  F(crypto_sign_ed25519_detached)                                                                  \
  F(crypto_sign_ed25519_verify_detached)                                                           \
  F(crypto_generichash_blake2b)                                                                    \
  F(crypto_pwhash_scryptsalsa208sha256)

/// The functions, as found in the opened library.
typedef struct {
  CSODIUM_FUNCTIONS(FUNCTION_TABLE_MEMBER)
} CSodiumTable;

/// Opens the library and looks every function up.
///
/// The table and the library stay for the life of the process. On failure there is no table, and a
/// text, the caller's to `free`, says what is the matter.
const CSodiumTable *_Nullable csodium_open(const char *path, char *_Nullable *_Nonnull problem);

#pragma clang assume_nonnull end

#endif
