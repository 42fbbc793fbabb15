//! Bytes and pointers that cross the boundary: the host's table, slices, buffers, instances.
#![expect(unsafe_code, reason = "this is where raw pointers become Rust values and back")]

use std::ffi::c_void;
use std::mem::{MaybeUninit, align_of, size_of};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};

use loopctl_plugin_abi::{
    self as abi, LC_ABI_MAJOR, LC_INVALID_CONFIG, LC_MAX_INPUT, LC_OK, LC_PANIC, lc_buf, lc_host_v1,
    lc_slice, lc_status,
};
use serde_json::Value;

use crate::Failure;
use crate::guard::guard;
use crate::manifest::blob_len;

type Complete = unsafe extern "C" fn(*mut c_void, u64, lc_status, lc_buf);
type Log = unsafe extern "C" fn(*mut c_void, u32, lc_slice);

/// The host's functions.
#[derive(Clone, Copy)]
pub(crate) struct Host {
    ctx: *mut c_void,
    complete: Complete,
    log: Option<Log>,
}

// SAFETY: the contract lets every function of the host's table be called from any thread.
unsafe impl Send for Host {}
// SAFETY: as above.
unsafe impl Sync for Host {}

impl Host {
    pub(crate) fn complete(&self, id: u64, status: lc_status, body: Vec<u8>) {
        // SAFETY: `ctx` belongs to `complete`, and the host's table lives until the process ends.
        unsafe { (self.complete)(self.ctx, id, status, buf_from(body)) }
    }
}

static HOST: RwLock<Option<Host>> = RwLock::new(None);

/// The host that last asked for this plugin's table.
pub(crate) fn host() -> Option<Host> {
    *HOST.read().unwrap_or_else(PoisonError::into_inner)
}

/// Remembers the host, or refuses one that speaks another major version or lacks what is needed.
///
/// # Safety
/// `host` is null or points to a table as `loopctl_plugin.h` describes it, which lives until the process ends.
pub unsafe fn accept_host(host: *const lc_host_v1) -> bool {
    guard(|| {
        if host.is_null() {
            return false;
        }
        let mut copy = MaybeUninit::<lc_host_v1>::zeroed();
        // SAFETY: the caller says that `host` points to a table, and every table begins with its size; no more than
        // that many bytes are read, and no more than ours has room for are written.
        let table = unsafe {
            // Whole words only: half a pointer is not a function.
            let size = (*host).size.min(size_of::<lc_host_v1>()) & !(align_of::<lc_host_v1>() - 1);
            std::ptr::copy_nonoverlapping(host.cast::<u8>(), copy.as_mut_ptr().cast::<u8>(), size);
            // All-zero bytes are a valid table: null pointers and absent functions.
            copy.assume_init()
        };
        let (LC_ABI_MAJOR, Some(complete)) = (table.abi_major, table.complete) else { return false };
        let accepted = Host { ctx: table.ctx, complete, log: table.log };
        *HOST.write().unwrap_or_else(PoisonError::into_inner) = Some(accepted);
        true
    })
    .unwrap_or(false)
}

/// The part of a manifest blob that is its JSON.
pub const fn slice_of<const N: usize>(blob: &'static [u8; N], json: &str) -> lc_slice {
    // SAFETY: `blob` was made from `json`, so its JSON begins this far in.
    lc_slice { ptr: unsafe { blob.as_ptr().add(blob_len("")) }, len: json.len() }
}

/// A plugin that is linked into the host's program. Goes through the same table as one that is loaded from a file.
#[derive(Debug, Clone, Copy)]
pub struct Linked(abi::lc_entry_v1);

impl Linked {
    /// Only for the export macros.
    ///
    /// # Safety
    /// `entry` keeps the contract of `loopctl_plugin.h`.
    #[doc(hidden)]
    pub const unsafe fn new(entry: abi::lc_entry_v1) -> Self {
        Self(entry)
    }

    /// The plugin's entry.
    pub fn entry(self) -> abi::lc_entry_v1 {
        self.0
    }
}

/// The importance of a line in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Something is wrong.
    Error,
    /// Something may be wrong.
    Warn,
    /// Something worth knowing.
    Info,
    /// Only of use to the plugin's author.
    Debug,
}

/// Writes a line to the host's log, if the host keeps one. Never document text, never a secret.
pub fn log(level: Level, message: &str) {
    let Some(Host { ctx, log: Some(log), .. }) = host() else { return };
    let level = match level {
        Level::Error => abi::LC_LOG_ERROR,
        Level::Warn => abi::LC_LOG_WARN,
        Level::Info => abi::LC_LOG_INFO,
        Level::Debug => abi::LC_LOG_DEBUG,
    };
    // SAFETY: `ctx` belongs to `log`; the message outlives the call.
    unsafe { log(ctx, level, lc_slice { ptr: message.as_ptr(), len: message.len() }) }
}

/// The bytes of a slice, for as long as the call lasts.
///
/// # Safety
/// The slice is as the contract has it, and stays so for `'a`.
pub(crate) unsafe fn bytes<'a>(slice: lc_slice) -> Result<&'a [u8], Failure> {
    if slice.len > LC_MAX_INPUT {
        return Err(Failure::invalid_request(format!("the request is longer than {LC_MAX_INPUT} bytes")));
    }
    if slice.ptr.is_null() || slice.len == 0 {
        return Ok(&[]);
    }
    // SAFETY: not null, and the caller vouches for the rest.
    Ok(unsafe { std::slice::from_raw_parts(slice.ptr, slice.len) })
}

/// Hands `body` to the host, with the function that frees it.
pub(crate) fn buf_from(body: Vec<u8>) -> lc_buf {
    let mut body = std::mem::ManuallyDrop::new(body);
    lc_buf { ptr: body.as_mut_ptr(), len: body.len(), cap: body.capacity(), drop: Some(drop_buf) }
}

unsafe extern "C" fn drop_buf(buf: *mut lc_buf) {
    let _ = guard(|| {
        // SAFETY: the host passes a buffer that `buf_from` made, once.
        unsafe {
            if let Some(buf) = buf.as_mut() {
                let body = Vec::from_raw_parts(buf.ptr, buf.len, buf.cap);
                *buf = lc_buf { ptr: std::ptr::null_mut(), len: 0, cap: 0, drop: None };
                drop(body);
            }
        }
    });
}

/// Writes `body` where the host asked for it.
///
/// # Safety
/// `out` is null or may be written; what it held is not freed.
pub(crate) unsafe fn put(out: *mut lc_buf, body: Vec<u8>) {
    if !out.is_null() {
        // SAFETY: the caller says that it may be written.
        unsafe { out.write(buf_from(body)) }
    }
}

/// An error's status and bytes.
pub(crate) fn error_body(failure: &Failure) -> Vec<u8> {
    serde_json::to_vec(&failure.error).unwrap_or_default()
}

/// A plugin with what surrounds it. Calls hold it too, so that closing it under a running call does no harm.
pub(crate) struct Instance<P> {
    pub(crate) plugin: P,
    pub(crate) host: Host,
    poisoned: AtomicBool,
}

impl<P> Instance<P> {
    /// Nothing runs on an instance that has panicked: its state may be half changed.
    pub(crate) fn usable(&self) -> Result<(), Failure> {
        if self.poisoned.load(Ordering::Acquire) {
            return Err(Failure::new(LC_PANIC, "this instance panicked before and takes no more calls"));
        }
        Ok(())
    }

    pub(crate) fn poison(&self) {
        self.poisoned.store(true, Ordering::Release);
    }
}

/// `open`, for either kind.
///
/// # Safety
/// The arguments are as the contract has them.
pub(crate) unsafe fn open_instance<P>(
    config: lc_slice,
    inst: *mut *mut c_void,
    err: *mut lc_buf,
    open: fn(&Value) -> Result<P, Failure>,
) -> lc_status {
    let opened = guard(|| {
        // SAFETY: the host lends the slice for this call.
        let config = match unsafe { bytes(config)? } {
            [] => Value::Object(serde_json::Map::new()),
            json => serde_json::from_slice(json).map_err(|error| {
                Failure::new(LC_INVALID_CONFIG, format!("the configuration isn't JSON: {error}"))
            })?,
        };
        let host = host().ok_or_else(|| Failure::permanent("opened before the host was accepted"))?;
        Ok(Instance { plugin: open(&config)?, host, poisoned: AtomicBool::new(false) })
    });
    match opened.and_then(|opened| opened) {
        Ok(instance) if !inst.is_null() => {
            // SAFETY: not null, and the host says that it may be written.
            unsafe { inst.write(std::sync::Arc::into_raw(std::sync::Arc::new(instance)).cast_mut().cast()) };
            LC_OK
        }
        Ok(_) => LC_INVALID_CONFIG,
        Err(failure) => {
            // SAFETY: as the contract has it.
            unsafe { put(err, error_body(&failure)) };
            failure.status
        }
    }
}

/// `close`, for either kind.
///
/// # Safety
/// `inst` came from [`open_instance`] of the same `P`, and this is the last use of it.
pub(crate) unsafe extern "C" fn close_instance<P>(inst: *mut c_void) {
    if !inst.is_null() {
        // SAFETY: as the caller says.
        let _ = guard(|| drop(unsafe { std::sync::Arc::from_raw(inst.cast::<Instance<P>>()) }));
    }
}
