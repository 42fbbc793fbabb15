//! The C structs that cross the boundary between loopctl and its provider plugins.
//!
//! `include/loopctl_plugin.h` is generated from this file (`LOOPCTL_UPDATE=1 cargo test -p loopctl-plugin-abi`), so
//! the comments below are what a plugin author in C reads too. Plugin authors in Rust use `loopctl-plugin-sdk`.
//!
//! Everything here is declaration: no code, no allocation, no dependency. Within a major version, structs only grow
//! at their end, constants are only added, and a field never changes its meaning.
#![no_std]
#![expect(non_camel_case_types, reason = "the names are those of the C header")]

use core::ffi::c_void;

// ---- versions and limits

/// The version of this contract. A change that breaks old plugins has another major, and another exported symbol.
pub const LC_ABI_MAJOR: u32 = 1;
/// Grows when functions are appended to a table, or operations are added. Either side works with an older minor of the
/// other. 1: LC_BATCH.
pub const LC_ABI_MINOR: u32 = 1;
/// The most bytes that the host sends in one payload (64 MiB). A larger request is never made.
pub const LC_MAX_INPUT: usize = 67108864;
/// The most bytes that the host takes from a plugin in one payload (16 MiB). More counts as a failed call.
pub const LC_MAX_OUTPUT: usize = 16777216;
/// The most bytes of a manifest's JSON (64 KiB).
pub const LC_MAX_MANIFEST: usize = 65536;

// ---- status: an open set

/// The outcome of a call. An open set: a value that the reader doesn't know means LC_PERMANENT.
pub type lc_status = i32;
/// It worked; the payload is the answer.
pub const LC_OK: lc_status = 0;
/// The configuration given to `open` is unusable. Only a user can fix it.
pub const LC_INVALID_CONFIG: lc_status = 1;
/// This request can't be answered in this form, and never will be.
pub const LC_INVALID_REQUEST: lc_status = 2;
/// It failed for a reason that may pass: network, overload, a server's 5xx. The host may retry.
pub const LC_TRANSIENT: lc_status = 3;
/// Too many requests; the error may carry `retry_after_ms`. The host may retry.
pub const LC_RATE_LIMITED: lc_status = 4;
/// A key is missing, wrong or not allowed to do this.
pub const LC_UNAUTHORIZED: lc_status = 5;
/// It failed and would fail again.
pub const LC_PERMANENT: lc_status = 6;
/// The host cancelled the call.
pub const LC_CANCELLED: lc_status = 7;
/// The plugin panicked. The instance is poisoned: the host closes it, and may open another.
pub const LC_PANIC: lc_status = 8;
/// The two sides don't speak the same version.
pub const LC_ABI_MISMATCH: lc_status = 9;
/// From here on a plugin's own numbers. The host treats them as LC_PERMANENT and shows them.
pub const LC_FIRST_CUSTOM: lc_status = 1000;

// ---- operations of `call`

/// A completion request becomes an HTTP request.
pub const LC_ENCODE: u32 = 1;
/// An HTTP response becomes a completion, or an error.
pub const LC_DECODE: u32 = 2;
/// A step of the vendor's batch API: `batch_step` becomes what the schema has for that step. Since 1.1, and only for
/// plugins with the capability `batch`; others answer LC_INVALID_REQUEST.
pub const LC_BATCH: u32 = 3;

// ---- levels of `log`

/// Something is wrong.
pub const LC_LOG_ERROR: u32 = 1;
/// Something may be wrong.
pub const LC_LOG_WARN: u32 = 2;
/// Something worth knowing.
pub const LC_LOG_INFO: u32 = 3;
/// Only of use to the plugin's author.
pub const LC_LOG_DEBUG: u32 = 4;

// ---- structs

/// Borrowed bytes. They die when the call that carried them returns: copy what you keep.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct lc_slice {
    /// OWNER: the side that passes the slice. May be null when `len` is 0.
    pub ptr: *const u8,
    /// The number of bytes.
    pub len: usize,
}

/// Owned bytes. The receiver of the buffer calls `drop` once; the allocator of its maker frees it.
#[repr(C)]
pub struct lc_buf {
    /// OWNER: the holder of the buffer, until it calls `drop`. May be null when `len` is 0.
    pub ptr: *mut u8,
    /// The number of bytes that are filled.
    pub len: usize,
    /// OWNER: the maker, for its own use. The holder never reads it.
    pub cap: usize,
    /// OWNER: the maker; callable from any thread. Null when there is nothing to free.
    pub drop: Option<unsafe extern "C" fn(buf: *mut lc_buf)>,
}

/// The host's table. It and all it points to live until the process ends.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct lc_host_v1 {
    /// OWNER: the host. Bytes of this struct; read nothing beyond it.
    pub size: usize,
    /// OWNER: the host. Refuse the host (return null) when it isn't LC_ABI_MAJOR.
    pub abi_major: u32,
    /// OWNER: the host.
    pub abi_minor: u32,
    /// OWNER: the host. The first argument of each function below; the plugin never looks inside.
    pub ctx: *mut c_void,
    /// Ends the call that `start` began as `id`. Exactly once per accepted call, from any thread, perhaps before
    /// `start` has returned. Never blocks. An `id` that is unknown or already ended is dropped and counted.
    /// `out` is a completion when `status` is LC_OK, else an error. OWNER of `out`: the host, from here on.
    pub complete: Option<unsafe extern "C" fn(ctx: *mut c_void, id: u64, status: lc_status, out: lc_buf)>,
    /// Writes a line of UTF-8 to the host's log. From any thread, never blocks. Never document text, never a secret.
    /// OWNER of `msg`: the plugin.
    pub log: Option<unsafe extern "C" fn(ctx: *mut c_void, level: u32, msg: lc_slice)>,
}

/// The plugin's table. It and all it points to live until the process ends; a library is never unloaded.
/// Every function may be called from any thread, and several at once for one instance, but for `close`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct lc_plugin_v1 {
    /// OWNER: the plugin. Bytes of this struct; the host treats functions beyond it as missing.
    pub size: usize,
    /// OWNER: the plugin. LC_ABI_MAJOR of the header it was compiled with.
    pub abi_major: u32,
    /// OWNER: the plugin.
    pub abi_minor: u32,
    /// OWNER: the plugin. UTF-8 JSON, the same bytes as in the manifest blob.
    pub manifest: lc_slice,
    /// Makes an instance from `config` (JSON). On LC_OK `inst` is set; otherwise `err` may be. Required.
    /// OWNER of `config`: the host. Of `inst`: the plugin, until `close`. Of `err`: the host.
    pub open:
        Option<unsafe extern "C" fn(config: lc_slice, inst: *mut *mut c_void, err: *mut lc_buf) -> lc_status>,
    /// Kind `http`: LC_ENCODE, LC_DECODE and, with the capability `batch`, LC_BATCH. Pure, and returns at once. On LC_OK `out` is the answer, else an error.
    /// OWNER of `input`: the host. Of `out`: the host, from the return on.
    pub call: Option<
        unsafe extern "C" fn(inst: *mut c_void, op: u32, input: lc_slice, out: *mut lc_buf) -> lc_status,
    >,
    /// Kind `direct`: begins a call, and returns at once. On LC_OK exactly one `complete` is owed and `call` is set;
    /// on anything else none follows and `err` may be set.
    /// OWNER of `request`: the host. Of `call`: the plugin, until `call_release`. Of `err`: the host.
    pub start: Option<
        unsafe extern "C" fn(
            inst: *mut c_void,
            id: u64,
            request: lc_slice,
            call: *mut *mut c_void,
            err: *mut lc_buf,
        ) -> lc_status,
    >,
    /// Asks a call to end soon. It still owes its `complete`. At most once per call, before `call_release`.
    pub cancel: Option<unsafe extern "C" fn(call: *mut c_void)>,
    /// The host is done with `call` and won't name it again; the call itself may still be running.
    pub call_release: Option<unsafe extern "C" fn(call: *mut c_void)>,
    /// The host is done with `inst`: it comes last, after every `call_release`. Required.
    pub close: Option<unsafe extern "C" fn(inst: *mut c_void)>,
}

/// The one function that a plugin exports, as `loopctl_plugin_v1`. Null refuses the host.
pub type lc_entry_v1 = unsafe extern "C" fn(host: *const lc_host_v1) -> *const lc_plugin_v1;

#[expect(
    unsafe_code,
    reason = "the contract makes the tables shareable; raw pointers hide that from the compiler"
)]
// SAFETY: the tables are immutable once published, and every function in them may be called from any thread.
unsafe impl Sync for lc_plugin_v1 {}

// ---- the manifest blob

/// The name of the one exported symbol.
pub const LC_ENTRY_SYMBOL: &str = "loopctl_plugin_v1";
/// Opens the manifest blob: these 16 bytes, the length of the JSON as four bytes (least significant first), the JSON.
/// The host finds it by reading the library's file, so a manifest can be shown without running the plugin.
pub const LC_MANIFEST_MAGIC: [u8; 16] = *b"\x89LOOPCTL-MANIF1\n";
/// The header for plugins in C, which says the same.
pub const LC_HEADER: &str = include_str!("../include/loopctl_plugin.h");
/// A JSON Schema of every payload, for plugins without the SDK's types.
pub const LC_PAYLOADS: &str = include_str!("../include/loopctl_payloads.schema.json");
