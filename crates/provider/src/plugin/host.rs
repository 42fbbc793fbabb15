//! The host's side of the boundary: the table that a plugin gets, and the waiters of its calls.
#![expect(unsafe_code, reason = "implements the functions that plugins call, and frees what they hand over")]

use std::collections::HashMap;
use std::ffi::c_void;
use std::mem::size_of;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use loopctl_plugin_sdk::abi::{
    LC_ABI_MAJOR, LC_ABI_MINOR, LC_LOG_ERROR, LC_LOG_INFO, LC_LOG_WARN, LC_MAX_OUTPUT, lc_buf, lc_host_v1,
    lc_slice, lc_status,
};
use tokio::sync::oneshot;

use crate::error::sanitize_message;

/// The end of a call, as the plugin reports it.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: lc_status,
    pub(crate) payload: Payload,
}

/// The bytes that a plugin handed over with its reply, or only their number if there are too many.
#[derive(Debug)]
pub enum Payload {
    /// A copy of the bytes; empty if the plugin gave none.
    Bytes(Vec<u8>),
    /// More than [`LC_MAX_OUTPUT`]; only the size is kept.
    TooLarge(usize),
}

/// The log target of plugins.
pub const LOG_TARGET: &str = "loopctl::plugin";
/// The most lines that are taken from one plugin.
const MOST_LINES: u64 = 100_000;
/// The longest line that is inspected, in bytes; less of it is shown.
const LONGEST_LINE: usize = 4_096;

/// One library's host: nothing that it does affects the calls of another.
#[derive(Default)]
pub(super) struct PluginHost {
    waiting: Mutex<HashMap<u64, oneshot::Sender<Reply>>>,
    last: AtomicU64,
    dropped: AtomicU64,
    /// The plugin's name, for its lines in the log.
    plugin: OnceLock<String>,
    lines: AtomicU64,
}

impl PluginHost {
    /// A host and the table to give to a plugin. Both live until the process ends, as libraries do.
    pub(super) fn leak() -> (&'static Self, &'static lc_host_v1) {
        let host: &'static Self = Box::leak(Box::default());
        let table = Box::leak(Box::new(lc_host_v1 {
            size: size_of::<lc_host_v1>(),
            abi_major: LC_ABI_MAJOR,
            abi_minor: LC_ABI_MINOR,
            ctx: std::ptr::from_ref(host).cast_mut().cast(),
            complete: Some(complete),
            log: Some(log),
        }));
        (host, table)
    }

    /// Sets the plugin's name, once it is known.
    pub(super) fn name(&self, plugin: &str) {
        let _ = self.plugin.set(plugin.to_owned());
    }

    /// A fresh id, and the receiver of its answer. The entry is there before the plugin knows the id.
    pub(super) fn expect(&self) -> (u64, oneshot::Receiver<Reply>) {
        let id = self.last.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        let (sender, receiver) = oneshot::channel();
        self.waiting().insert(id, sender);
        (id, receiver)
    }

    /// Hands `reply` to the waiter of `id`; late, second and forged answers have none and are counted.
    pub(super) fn deliver(&self, id: u64, reply: Reply) {
        let waiter = self.waiting().remove(&id);
        let undelivered = match waiter {
            Some(waiter) => waiter.send(reply).is_err(),
            None => true,
        };
        if undelivered {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Notes that `id` is no longer awaited. Returns whether an answer was still owed.
    pub(super) fn forget(&self, id: u64) -> bool {
        self.waiting().remove(&id).is_some()
    }

    /// The number of answers that had no waiter.
    pub(super) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<u64, oneshot::Sender<Reply>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Copies a buffer's bytes, if they aren't too many, and has its maker free it, once.
///
/// # Safety
/// `buf` is as the contract has it, and no one else holds it.
pub(super) unsafe fn take(mut buf: lc_buf) -> Payload {
    let payload = if buf.len > LC_MAX_OUTPUT {
        Payload::TooLarge(buf.len)
    } else if buf.ptr.is_null() || buf.len == 0 {
        Payload::Bytes(Vec::new())
    } else {
        // SAFETY: not null, and its maker vouches for `len` bytes.
        Payload::Bytes(unsafe { std::slice::from_raw_parts(buf.ptr, buf.len) }.to_vec())
    };
    if let Some(drop) = buf.drop {
        // SAFETY: the maker's own function, called once, by the holder.
        unsafe { drop(&raw mut buf) };
    }
    payload
}

/// An empty buffer for a plugin to fill.
pub(super) const fn no_buf() -> lc_buf {
    lc_buf { ptr: std::ptr::null_mut(), len: 0, cap: 0, drop: None }
}

/// Lends bytes to a plugin for one call.
pub(super) fn lend(bytes: &[u8]) -> lc_slice {
    lc_slice { ptr: bytes.as_ptr(), len: bytes.len() }
}

unsafe extern "C" fn complete(ctx: *mut c_void, id: u64, status: lc_status, out: lc_buf) {
    // SAFETY: the plugin hands the buffer over with this call.
    let payload = unsafe { take(out) };
    // SAFETY: `ctx` is the host that `leak` made, which is never freed; null only from a plugin that makes it up.
    if let Some(host) = unsafe { ctx.cast::<PluginHost>().as_ref() } {
        host.deliver(id, Reply { status, payload });
    }
}

/// Passes a line on to subscribers of this target. Only the plugin could say whether it quotes the document: so every
/// line is of the lowest level in use, which logs leave out unless they are asked for it, whatever level the plugin
/// gives it.
unsafe extern "C" fn log(ctx: *mut c_void, level: u32, msg: lc_slice) {
    // SAFETY: `ctx` is the host that `leak` made, which is never freed; null only from a plugin that makes it up.
    let Some(host) = (unsafe { ctx.cast::<PluginHost>().as_ref() }) else { return };
    if msg.ptr.is_null() || msg.len == 0 || !tracing::enabled!(target: LOG_TARGET, tracing::Level::DEBUG) {
        return;
    }
    if host.lines.fetch_add(1, Ordering::Relaxed) >= MOST_LINES {
        return;
    }
    // SAFETY: not null, and the plugin vouches for `len` bytes, of which these are some.
    let bytes = unsafe { std::slice::from_raw_parts(msg.ptr, msg.len.min(LONGEST_LINE)) };
    let message = sanitize_message(&String::from_utf8_lossy(bytes));
    let plugin = host.plugin.get().map_or("", String::as_str);
    let said = match level {
        LC_LOG_ERROR => "error",
        LC_LOG_WARN => "warn",
        LC_LOG_INFO => "info",
        _ => "debug",
    };
    tracing::debug!(target: LOG_TARGET, event = "plugin_says", plugin, plugin_level = said, text = message.as_str());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ok() -> Reply {
        Reply { status: 0, payload: Payload::Bytes(Vec::new()) }
    }

    /// Records what is logged at the target of plugins.
    #[derive(Clone, Default)]
    struct Ear(std::sync::Arc<Mutex<Vec<String>>>);

    impl tracing::field::Visit for Ear {
        fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
            self.0.lock().unwrap().push(format!("{field}={value:?}"));
        }
    }

    impl<S: tracing::Subscriber> tracing_subscriber::Layer<S> for Ear {
        fn on_event(&self, event: &tracing::Event<'_>, _: tracing_subscriber::layer::Context<'_, S>) {
            assert_eq!(
                (event.metadata().target(), *event.metadata().level()),
                (LOG_TARGET, tracing::Level::DEBUG)
            );
            event.record(&mut self.clone());
        }
    }

    #[test]
    fn what_a_plugin_says_is_one_bounded_line_of_the_lowest_level() {
        use tracing_subscriber::layer::SubscriberExt;
        let (host, table) = PluginHost::leak();
        host.name("acme");
        let long = format!("a\nb\u{1b}[2J{}", "x".repeat(9_000));
        let ear = Ear::default();
        tracing::subscriber::with_default(tracing_subscriber::registry().with(ear.clone()), || {
            for (level, text) in [(LC_LOG_ERROR, long.as_str()), (9, "")] {
                let msg = lc_slice { ptr: text.as_ptr(), len: text.len() };
                // SAFETY: the context is the table's, and the text outlives the call.
                unsafe { table.log.unwrap()(table.ctx, level, msg) };
            }
        });
        let said = ear.0.lock().unwrap();
        assert_eq!(said[..3], ["event=\"plugin_says\"", "plugin=\"acme\"", "plugin_level=\"error\""]);
        assert!(said[3].starts_with("text=\"a b [2Jxxx") && said[3].len() < 600, "{}", said[3]);
        assert_eq!(said.len(), 4);
    }

    #[test]
    fn only_the_first_answer_to_a_known_id_counts() {
        let host = PluginHost::default();
        let (id, mut receiver) = host.expect();
        host.deliver(id + 1, ok());
        assert!(receiver.try_recv().is_err());
        host.deliver(id, ok());
        assert!(receiver.try_recv().is_ok());
        host.deliver(id, ok());
        assert_eq!(host.dropped(), 2);
        let (given_up, _) = host.expect();
        assert!(host.forget(given_up));
        host.deliver(given_up, ok());
        assert_eq!(host.dropped(), 3);
    }
}
