/* The boundary between loopctl and its provider plugins.
 * Generated from plugins/abi/src/lib.rs by `LOOPCTL_UPDATE=1 cargo test -p loopctl-plugin-abi`; don't edit.
 *
 * A plugin is a shared library that exports one function, `loopctl_plugin_v1`, and holds one manifest (LC_MANIFEST).
 * Payloads are UTF-8 JSON; loopctl_payloads.schema.json describes them. Native plugins are trusted code: loopctl contains a call
 * that fails, hangs or answers nonsense, but not one that corrupts memory. */
#ifndef LOOPCTL_PLUGIN_H
#define LOOPCTL_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- versions and limits ---- */
/* The version of this contract. A change that breaks old plugins has another major, and another exported symbol. */
#define LC_ABI_MAJOR 1u
/* Grows when functions are appended to a table, or operations are added. Either side works with an older minor of the
 * other. 1: LC_BATCH. */
#define LC_ABI_MINOR 1u
/* The most bytes that the host sends in one payload (64 MiB). A larger request is never made. */
#define LC_MAX_INPUT ((size_t)67108864)
/* The most bytes that the host takes from a plugin in one payload (16 MiB). More counts as a failed call. */
#define LC_MAX_OUTPUT ((size_t)16777216)
/* The most bytes of a manifest's JSON (64 KiB). */
#define LC_MAX_MANIFEST ((size_t)65536)

/* ---- status: an open set ---- */
/* The outcome of a call. An open set: a value that the reader doesn't know means LC_PERMANENT. */
typedef int32_t lc_status;
/* It worked; the payload is the answer. */
#define LC_OK ((lc_status)0)
/* The configuration given to `open` is unusable. Only a user can fix it. */
#define LC_INVALID_CONFIG ((lc_status)1)
/* This request can't be answered in this form, and never will be. */
#define LC_INVALID_REQUEST ((lc_status)2)
/* It failed for a reason that may pass: network, overload, a server's 5xx. The host may retry. */
#define LC_TRANSIENT ((lc_status)3)
/* Too many requests; the error may carry `retry_after_ms`. The host may retry. */
#define LC_RATE_LIMITED ((lc_status)4)
/* A key is missing, wrong or not allowed to do this. */
#define LC_UNAUTHORIZED ((lc_status)5)
/* It failed and would fail again. */
#define LC_PERMANENT ((lc_status)6)
/* The host cancelled the call. */
#define LC_CANCELLED ((lc_status)7)
/* The plugin panicked. The instance is poisoned: the host closes it, and may open another. */
#define LC_PANIC ((lc_status)8)
/* The two sides don't speak the same version. */
#define LC_ABI_MISMATCH ((lc_status)9)
/* From here on a plugin's own numbers. The host treats them as LC_PERMANENT and shows them. */
#define LC_FIRST_CUSTOM ((lc_status)1000)

/* ---- operations of `call` ---- */
/* A completion request becomes an HTTP request. */
#define LC_ENCODE 1u
/* An HTTP response becomes a completion, or an error. */
#define LC_DECODE 2u
/* A step of the vendor's batch API: `batch_step` becomes what the schema has for that step. Since 1.1, and only for
 * plugins with the capability `batch`; others answer LC_INVALID_REQUEST. */
#define LC_BATCH 3u

/* ---- levels of `log` ---- */
/* Something is wrong. */
#define LC_LOG_ERROR 1u
/* Something may be wrong. */
#define LC_LOG_WARN 2u
/* Something worth knowing. */
#define LC_LOG_INFO 3u
/* Only of use to the plugin's author. */
#define LC_LOG_DEBUG 4u

/* ---- structs ---- */
/* Borrowed bytes. They die when the call that carried them returns: copy what you keep. */
typedef struct lc_slice {
    /* OWNER: the side that passes the slice. May be null when `len` is 0. */
    const uint8_t *ptr;
    /* The number of bytes. */
    size_t len;
} lc_slice;

/* Owned bytes. The receiver of the buffer calls `drop` once; the allocator of its maker frees it. */
typedef struct lc_buf {
    /* OWNER: the holder of the buffer, until it calls `drop`. May be null when `len` is 0. */
    uint8_t *ptr;
    /* The number of bytes that are filled. */
    size_t len;
    /* OWNER: the maker, for its own use. The holder never reads it. */
    size_t cap;
    /* OWNER: the maker; callable from any thread. Null when there is nothing to free. */
    void (*drop)(struct lc_buf *buf);
} lc_buf;

/* The host's table. It and all it points to live until the process ends. */
typedef struct lc_host_v1 {
    /* OWNER: the host. Bytes of this struct; read nothing beyond it. */
    size_t size;
    /* OWNER: the host. Refuse the host (return null) when it isn't LC_ABI_MAJOR. */
    uint32_t abi_major;
    /* OWNER: the host. */
    uint32_t abi_minor;
    /* OWNER: the host. The first argument of each function below; the plugin never looks inside. */
    void *ctx;
    /* Ends the call that `start` began as `id`. Exactly once per accepted call, from any thread, perhaps before
     * `start` has returned. Never blocks. An `id` that is unknown or already ended is dropped and counted.
     * `out` is a completion when `status` is LC_OK, else an error. OWNER of `out`: the host, from here on. */
    void (*complete)(void *ctx, uint64_t id, lc_status status, lc_buf out);
    /* Writes a line of UTF-8 to the host's log. From any thread, never blocks. Never document text, never a secret.
     * OWNER of `msg`: the plugin. */
    void (*log)(void *ctx, uint32_t level, lc_slice msg);
} lc_host_v1;

/* The plugin's table. It and all it points to live until the process ends; a library is never unloaded.
 * Every function may be called from any thread, and several at once for one instance, but for `close`. */
typedef struct lc_plugin_v1 {
    /* OWNER: the plugin. Bytes of this struct; the host treats functions beyond it as missing. */
    size_t size;
    /* OWNER: the plugin. LC_ABI_MAJOR of the header it was compiled with. */
    uint32_t abi_major;
    /* OWNER: the plugin. */
    uint32_t abi_minor;
    /* OWNER: the plugin. UTF-8 JSON, the same bytes as in the manifest blob. */
    lc_slice manifest;
    /* Makes an instance from `config` (JSON). On LC_OK `inst` is set; otherwise `err` may be. Required.
     * OWNER of `config`: the host. Of `inst`: the plugin, until `close`. Of `err`: the host. */
    lc_status (*open)(lc_slice config, void **inst, lc_buf *err);
    /* Kind `http`: LC_ENCODE, LC_DECODE and, with the capability `batch`, LC_BATCH. Pure, and returns at once. On LC_OK `out` is the answer, else an error.
     * OWNER of `input`: the host. Of `out`: the host, from the return on. */
    lc_status (*call)(void *inst, uint32_t op, lc_slice input, lc_buf *out);
    /* Kind `direct`: begins a call, and returns at once. On LC_OK exactly one `complete` is owed and `call` is set;
     * on anything else none follows and `err` may be set.
     * OWNER of `request`: the host. Of `call`: the plugin, until `call_release`. Of `err`: the host. */
    lc_status (*start)(void *inst, uint64_t id, lc_slice request, void **call, lc_buf *err);
    /* Asks a call to end soon. It still owes its `complete`. At most once per call, before `call_release`. */
    void (*cancel)(void *call);
    /* The host is done with `call` and won't name it again; the call itself may still be running. */
    void (*call_release)(void *call);
    /* The host is done with `inst`: it comes last, after every `call_release`. Required. */
    void (*close)(void *inst);
} lc_plugin_v1;

/* The one function that a plugin exports, as `loopctl_plugin_v1`. Null refuses the host. */
#if defined(_WIN32)
__declspec(dllexport)
#else
__attribute__((visibility("default")))
#endif
const lc_plugin_v1 *loopctl_plugin_v1(const lc_host_v1 *host);


/* ---- the manifest blob ---- */

/* Put LC_MANIFEST("{...}"); once at file level, and LC_MANIFEST_SLICE (in a static table: LC_MANIFEST_SLICE_INIT) into
 * lc_plugin_v1.manifest. It lays down 16 magic
 * bytes, the length of the JSON as four bytes (least significant first), and the JSON, so that the host reads a
 * manifest from the library's file without running it. */
#if defined(__GNUC__)
#define LC_KEEP __attribute__((used))
#else
#define LC_KEEP
#endif
#define LC_MANIFEST(json)                                                                                     \
    LC_KEEP static const struct {                                                                             \
        uint8_t magic[16], length[4];                                                                         \
        char text[sizeof(json)];                                                                              \
    } lc_manifest_blob = { { 0x89, 'L', 'O', 'O', 'P', 'C', 'T', 'L', '-', 'M', 'A', 'N', 'I', 'F', '1', '\n' }, \
                           { (sizeof(json) - 1) & 0xff, ((sizeof(json) - 1) >> 8) & 0xff,                     \
                             ((sizeof(json) - 1) >> 16) & 0xff, ((sizeof(json) - 1) >> 24) & 0xff },          \
                           json }
#define LC_MANIFEST_SLICE_INIT { (const uint8_t *)lc_manifest_blob.text, sizeof(lc_manifest_blob.text) - 1 }
#define LC_MANIFEST_SLICE ((lc_slice)LC_MANIFEST_SLICE_INIT)

#ifdef __cplusplus
}
#endif
#endif
