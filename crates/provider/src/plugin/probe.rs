//! The boundary without the host's forbearance, for checks that are about the plugin itself: what it is offered can be
//! wrong, and every answer is kept as it came, second, late and forged ones too.
#![expect(
    unsafe_code,
    reason = "calls the functions of a plugin's table, and implements those that it calls"
)]

use std::ffi::c_void;
use std::mem::size_of;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use loopctl_plugin_sdk::abi::{
    LC_ABI_MAJOR, LC_ABI_MINOR, LC_OK, lc_buf, lc_entry_v1, lc_host_v1, lc_plugin_v1, lc_slice, lc_status,
};
use loopctl_plugin_sdk::protocol::PluginKind;

use super::call::Opaque;
use super::host::{Payload, no_buf, take};
use super::load::{copy_raw, manifest_bytes, missing_functions, open_copy};
use crate::ProviderError;
use crate::inspect::PluginFile;

/// More lines of log than this are of no use to a check.
const LOG_LINES: usize = 1000;
const LOG_BYTES: usize = 4096;

/// A status and the bytes that came with it.
#[derive(Debug)]
pub struct RawReply {
    /// The status that the plugin reported; [`LC_OK`] for success.
    pub status: lc_status,
    /// A copy of the bytes, or only their number if there are too many.
    pub payload: Payload,
    /// The address of the bytes, to tell one buffer from another.
    pub address: usize,
    /// `true` if the plugin gave a function to free them with.
    pub has_drop: bool,
    /// The buffer claims to hold bytes, and points nowhere.
    pub points_nowhere: bool,
}

/// # Safety
/// `buf` is as the contract has it, and no one else holds it.
unsafe fn answer_of(status: lc_status, buf: lc_buf) -> RawReply {
    let (address, has_drop) = (buf.ptr.addr(), buf.drop.is_some());
    let points_nowhere = buf.ptr.is_null() && buf.len > 0;
    // SAFETY: as the caller has it.
    let payload = unsafe { take(buf) };
    RawReply { status, payload, address, has_drop, points_nowhere }
}

/// Everything that a plugin tells its host, in the order in which it came.
#[derive(Default)]
pub struct Ledger {
    state: Mutex<LedgerState>,
    changed: Condvar,
}

#[derive(Default)]
struct LedgerState {
    last: u64,
    arrived: Vec<(u64, RawReply)>,
    /// Answers to ids that no call had when they came.
    strays: Vec<u64>,
    log: Vec<String>,
}

impl Ledger {
    /// Lives until the process ends, as the contract has it.
    pub fn leak() -> &'static Self {
        Box::leak(Box::default())
    }

    /// An id for a call.
    pub fn issue(&self) -> u64 {
        let mut state = self.state();
        state.last = state.last.saturating_add(1);
        state.last
    }

    /// Waits until each of these has an answer, or `until`. Returns those that have none.
    pub fn wait_for(&self, ids: &[u64], until: Instant) -> Vec<u64> {
        let mut state = self.state();
        loop {
            let missing: Vec<u64> = ids
                .iter()
                .copied()
                .filter(|id| !state.arrived.iter().any(|(arrived, _)| arrived == id))
                .collect();
            let left = until.saturating_duration_since(Instant::now());
            if missing.is_empty() || left.is_zero() {
                return missing;
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Takes the answers to a call out, oldest first.
    pub fn take(&self, id: u64) -> Vec<RawReply> {
        let mut state = self.state();
        let (of_it, others) =
            std::mem::take(&mut state.arrived).into_iter().partition(|(arrived, _)| *arrived == id);
        state.arrived = others;
        let of_it: Vec<(u64, RawReply)> = of_it;
        of_it.into_iter().map(|(_, answer)| answer).collect()
    }

    /// Ids that were answered and belonged to no call.
    pub fn strays(&self) -> Vec<u64> {
        self.state().strays.clone()
    }

    /// Returns whether the plugin has written this to its log.
    pub fn logged(&self, text: &str) -> bool {
        self.state().log.iter().any(|line| line.contains(text))
    }

    fn state(&self) -> MutexGuard<'_, LedgerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

unsafe extern "C" fn complete(ctx: *mut c_void, id: u64, status: lc_status, out: lc_buf) {
    // SAFETY: the plugin hands the buffer over with this call.
    let answer = unsafe { answer_of(status, out) };
    // SAFETY: `ctx` is a ledger that is never freed; null only from a plugin that makes it up.
    if let Some(ledger) = unsafe { ctx.cast::<Ledger>().as_ref() } {
        let mut state = ledger.state();
        if id == 0 || id > state.last {
            state.strays.push(id);
        } else {
            state.arrived.push((id, answer));
        }
        ledger.changed.notify_all();
    }
}

unsafe extern "C" fn log(ctx: *mut c_void, _: u32, msg: lc_slice) {
    // SAFETY: as in `complete`.
    let Some(ledger) = (unsafe { ctx.cast::<Ledger>().as_ref() }) else { return };
    if msg.ptr.is_null() {
        return;
    }
    // SAFETY: the plugin lends `len` bytes for this call.
    let bytes = unsafe { std::slice::from_raw_parts(msg.ptr, msg.len.min(LOG_BYTES)) };
    let mut state = ledger.state();
    if state.log.len() < LOG_LINES {
        state.log.push(String::from_utf8_lossy(bytes).into_owned());
    }
}

/// The host that a plugin is offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfferedHost {
    /// This one.
    Ours,
    /// One of the next major version, which it must refuse.
    OtherMajor,
    /// One of a later minor version, whose table is longer.
    Larger,
}

/// A host's table, and what a later version might append.
#[repr(C)]
struct LongTable {
    known: lc_host_v1,
    appended: [usize; 8],
}

/// A loaded library's one exported function.
pub struct PluginEntry(lc_entry_v1);

impl PluginEntry {
    /// Loads a file whose bytes have been found trustworthy. Runs its constructors, and waits for them.
    ///
    /// # Errors
    /// The message of the system's loader, or that the symbol is missing.
    pub fn load(file: &PluginFile) -> Result<Self, ProviderError> {
        open_copy(file).map(Self)
    }

    /// Offers a host. `None` when the plugin refuses it.
    pub fn offer(&self, ledger: &'static Ledger, offer: OfferedHost) -> Option<Arc<PluginTable>> {
        let (major, minor, size) = match offer {
            OfferedHost::Ours => (LC_ABI_MAJOR, LC_ABI_MINOR, size_of::<lc_host_v1>()),
            OfferedHost::OtherMajor => (LC_ABI_MAJOR.saturating_add(1), 0, size_of::<lc_host_v1>()),
            OfferedHost::Larger => (LC_ABI_MAJOR, LC_ABI_MINOR.saturating_add(1), size_of::<LongTable>()),
        };
        let known = lc_host_v1 {
            size,
            abi_major: major,
            abi_minor: minor,
            ctx: std::ptr::from_ref(ledger).cast_mut().cast(),
            complete: Some(complete),
            log: Some(log),
        };
        let table: &'static LongTable = Box::leak(Box::new(LongTable { known, appended: [0; 8] }));
        // SAFETY: the symbol has this type by its name; the table has as many bytes as it says, and is never freed.
        let offered = unsafe { (self.0)(std::ptr::from_ref(table).cast()) };
        // SAFETY: what an entry returns is null or a table, which begins with its size.
        unsafe { copy_raw(offered) }.map(|raw| Arc::new(PluginTable { raw, wrote: AtomicBool::new(false) }))
    }
}

/// A plugin's table; functions that it lacks are absent.
pub struct PluginTable {
    raw: lc_plugin_v1,
    /// `true` if a function has written into bytes that were lent to it.
    wrote: AtomicBool,
}

// SAFETY: the contract has the table's functions called from any thread, and what it points to never changes.
unsafe impl Send for PluginTable {}
// SAFETY: as above.
unsafe impl Sync for PluginTable {}

/// The outcome of `open`.
pub enum OpenOutcome {
    /// An open instance.
    Opened(ProbedInstance),
    /// It returned OK and no instance.
    Nothing,
    /// The reply of a plugin that returned a status other than OK.
    Refused(RawReply),
}

impl PluginTable {
    /// In bytes, as the table says.
    pub fn size(&self) -> usize {
        self.raw.size
    }

    /// Major and minor.
    pub fn abi(&self) -> (u32, u32) {
        (self.raw.abi_major, self.raw.abi_minor)
    }

    /// The manifest, if there is one of a size that a manifest can have.
    pub fn manifest(&self) -> Option<Vec<u8>> {
        // SAFETY: the table's manifest is static, as the contract has it.
        unsafe { manifest_bytes(&self.raw) }
    }

    /// The functions that a plugin of this kind must have and this one lacks.
    pub fn missing(&self, kind: PluginKind) -> Vec<&'static str> {
        missing_functions(&self.raw, kind)
    }

    /// Returns whether two tables have the same functions and the same ABI.
    pub fn is_like(&self, other: &Self) -> bool {
        let functions = |table: &Self| {
            let raw = &table.raw;
            [
                raw.open.map(|f| f as usize),
                raw.call.map(|f| f as usize),
                raw.start.map(|f| f as usize),
                raw.cancel.map(|f| f as usize),
                raw.call_release.map(|f| f as usize),
                raw.close.map(|f| f as usize),
            ]
        };
        functions(self) == functions(other) && self.abi() == other.abi() && self.size() == other.size()
    }

    /// Lends a copy of these bytes for one call, and notices what the plugin did to it.
    fn lending<T>(&self, bytes: &[u8], call: impl FnOnce(lc_slice) -> T) -> T {
        let mut copy = bytes.to_vec();
        // A plugin that writes must find bytes that may be written to.
        let result = call(lc_slice { ptr: copy.as_mut_ptr(), len: copy.len() });
        if copy != bytes {
            self.wrote.store(true, Ordering::Relaxed);
        }
        result
    }

    /// Opens an instance with these bytes for a configuration.
    pub fn open(self: &Arc<Self>, config: &[u8]) -> OpenOutcome {
        let Some(open) = self.raw.open else { return OpenOutcome::Nothing };
        let mut raw = std::ptr::null_mut();
        let mut err = no_buf();
        // SAFETY: arguments as the contract has them; the slice lives until the call returns.
        let status = self.lending(config, |config| unsafe { open(config, &raw mut raw, &raw mut err) });
        // SAFETY: the plugin filled it or left it empty, and hands it over.
        let answer = unsafe { answer_of(status, err) };
        if status != LC_OK {
            OpenOutcome::Refused(answer)
        } else if raw.is_null() {
            OpenOutcome::Nothing
        } else {
            OpenOutcome::Opened(ProbedInstance { table: Arc::clone(self), raw: Opaque(raw) })
        }
    }
}

/// An open instance. Not closed when it is dropped: a check finds out whether closing works.
pub struct ProbedInstance {
    table: Arc<PluginTable>,
    raw: Opaque,
}

/// The outcome of `start`.
pub enum StartOutcome {
    /// An accepted call, which must be released after its use.
    Accepted(Call),
    /// Accepted, without a call.
    Nothing,
    /// The reply of a plugin that returned a status other than OK.
    Refused(RawReply),
}

impl ProbedInstance {
    /// Returns whether the plugin has written into bytes that were lent to it.
    pub fn wrote_into_input(&self) -> bool {
        self.table.wrote.load(Ordering::Relaxed)
    }

    /// `call` of an http plugin; `None` when there is no such function.
    pub fn call(&self, op: u32, input: &[u8]) -> Option<RawReply> {
        let call = self.table.raw.call?;
        let mut out = no_buf();
        // SAFETY: arguments as the contract has them; the slice lives until the call returns.
        let status =
            self.table.lending(input, |input| unsafe { call(self.raw.get(), op, input, &raw mut out) });
        // SAFETY: the plugin filled it or left it empty, and hands it over.
        Some(unsafe { answer_of(status, out) })
    }

    /// `start` of a direct plugin; `None` when there is no such function.
    pub fn start(&self, id: u64, request: &[u8]) -> Option<StartOutcome> {
        let start = self.table.raw.start?;
        let mut raw = std::ptr::null_mut();
        let mut err = no_buf();
        // SAFETY: arguments as the contract has them; the slice lives until the call returns.
        let status = self.table.lending(request, |request| unsafe {
            start(self.raw.get(), id, request, &raw mut raw, &raw mut err)
        });
        // SAFETY: the plugin filled it or left it empty, and hands it over.
        let answer = unsafe { answer_of(status, err) };
        Some(if status != LC_OK {
            StartOutcome::Refused(answer)
        } else if raw.is_null() {
            StartOutcome::Nothing
        } else {
            StartOutcome::Accepted(Call { table: Arc::clone(&self.table), raw: Opaque(raw) })
        })
    }

    /// The last use of the instance. Every call of it must have been released.
    pub fn close(self) {
        if let Some(close) = self.table.raw.close {
            // SAFETY: it came from `open`, and this is the last use of it.
            unsafe { close(self.raw.get()) };
        }
    }
}

/// An accepted call of a direct plugin.
pub struct Call {
    table: Arc<PluginTable>,
    raw: Opaque,
}

impl Call {
    /// Asks it to end. At most once.
    pub fn cancel(&self) {
        if let Some(cancel) = self.table.raw.cancel {
            // SAFETY: it came from `start` and isn't released yet.
            unsafe { cancel(self.raw.get()) };
        }
    }

    /// The last use of it.
    pub fn release(self) {
        if let Some(release) = self.table.raw.call_release {
            // SAFETY: it came from `start`, and this is the last use of it.
            unsafe { release(self.raw.get()) };
        }
    }
}
