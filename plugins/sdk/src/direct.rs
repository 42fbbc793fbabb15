//! Plugins that make the completion themselves: each call on a thread of its own.
#![expect(unsafe_code, reason = "implements the exported functions")]

use std::ffi::c_void;
use std::mem::{ManuallyDrop, size_of};
use std::sync::Arc;

use loopctl_plugin_abi::{
    LC_ABI_MAJOR, LC_ABI_MINOR, LC_OK, LC_PANIC, lc_buf, lc_plugin_v1, lc_slice, lc_status,
};
use serde_json::Value;

use crate::boundary::{Host, Instance, bytes, close_instance, error_body, open_instance, put};
use crate::guard::guard;
use crate::protocol::{Completion, CompletionRequest, VERSION};
use crate::{Cancel, Failure};

/// A plugin that makes the completion itself: a local model, a program, a table of patterns.
pub trait DirectPlugin: Sized + Send + Sync + 'static {
    /// Makes an instance from the profile's configuration, `{}` if there is none. Must not take long.
    ///
    /// # Errors
    /// [`Failure::invalid_config`] when a user has to change the configuration.
    fn open(config: &Value) -> Result<Self, Failure>;

    /// Answers one request, on a thread of its own; several may run at once. It may take as long as it likes, but
    /// should check `cancel` where it waits.
    ///
    /// # Errors
    /// The reason of the failure; its status tells the host whether another try makes sense.
    fn complete(&self, request: &CompletionRequest, cancel: &Cancel) -> Result<Completion, Failure>;

    /// Like [`DirectPlugin::complete`], for plugins that have the answer as bytes already, such as the output of
    /// another program.
    fn reply(&self, request: &CompletionRequest, cancel: &Cancel) -> Reply {
        Reply::from(self.complete(request, cancel))
    }
}

/// An answer as it crosses the boundary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// [`LC_OK`], or the status of the failure.
    pub status: lc_status,
    /// A [`Completion`] or a [`PluginError`](crate::protocol::PluginError), as JSON.
    pub body: Vec<u8>,
}

impl From<Result<Completion, Failure>> for Reply {
    fn from(outcome: Result<Completion, Failure>) -> Self {
        match outcome.and_then(|completion| {
            serde_json::to_vec(&completion).map_err(|error| {
                Failure::permanent(format!("the completion can't be written as JSON: {error}"))
            })
        }) {
            Ok(body) => Self { status: LC_OK, body },
            Err(failure) => Self { status: failure.status, body: error_body(&failure) },
        }
    }
}

/// The table of a direct plugin.
pub const fn direct_table<P: DirectPlugin>(manifest: lc_slice) -> lc_plugin_v1 {
    lc_plugin_v1 {
        size: size_of::<lc_plugin_v1>(),
        abi_major: LC_ABI_MAJOR,
        abi_minor: LC_ABI_MINOR,
        manifest,
        open: Some(open::<P>),
        call: None,
        start: Some(start::<P>),
        cancel: Some(cancel),
        call_release: Some(call_release),
        close: Some(close_instance::<P>),
    }
}

unsafe extern "C" fn open<P: DirectPlugin>(
    config: lc_slice,
    inst: *mut *mut c_void,
    err: *mut lc_buf,
) -> lc_status {
    // SAFETY: the host keeps the contract.
    unsafe { open_instance::<P>(config, inst, err, P::open) }
}

/// The answer that an accepted call owes. Dropped without one, it says that the call was lost.
struct Owed {
    host: Host,
    id: u64,
}

impl Owed {
    fn answer(self, reply: Reply) {
        let owed = ManuallyDrop::new(self);
        owed.host.complete(owed.id, reply.status, reply.body);
    }
}

impl Drop for Owed {
    fn drop(&mut self) {
        let lost = Failure::new(LC_PANIC, "the call was lost within the plugin");
        self.host.complete(self.id, lost.status, error_body(&lost));
    }
}

unsafe extern "C" fn start<P: DirectPlugin>(
    inst: *mut c_void,
    id: u64,
    request: lc_slice,
    call: *mut *mut c_void,
    err: *mut lc_buf,
) -> lc_status {
    let started = guard(|| {
        if inst.is_null() || call.is_null() {
            return Err(Failure::invalid_request("a null pointer where the contract has none"));
        }
        // SAFETY: `inst` came from `open::<P>` and isn't closed yet; the count of the handle in the host's hands stays.
        let instance = unsafe {
            Arc::increment_strong_count(inst.cast::<Instance<P>>());
            Arc::from_raw(inst.cast::<Instance<P>>())
        };
        instance.usable()?;
        // SAFETY: the host lends the slice for this call.
        let request = parse_request(unsafe { bytes(request)? })?;
        let cancel = Arc::new(Cancel::new());
        let theirs = Arc::clone(&cancel);
        std::thread::Builder::new()
            .name("loopctl-call".to_owned())
            .spawn(move || run(&instance, id, &request, &theirs))
            .map_err(|error| Failure::transient(format!("can't start a thread: {error}")))?;
        // SAFETY: not null, and the host says that it may be written.
        unsafe { call.write(Arc::into_raw(cancel).cast_mut().cast()) };
        Ok(())
    });
    match started.and_then(|started| started) {
        Ok(()) => LC_OK,
        Err(failure) => {
            // SAFETY: as the contract has it.
            unsafe { put(err, error_body(&failure)) };
            failure.status
        }
    }
}

fn run<P: DirectPlugin>(instance: &Arc<Instance<P>>, id: u64, request: &CompletionRequest, cancel: &Cancel) {
    let owed = Owed { host: instance.host, id };
    let reply = guard(|| instance.plugin.reply(request, cancel)).unwrap_or_else(|panicked| {
        instance.poison();
        Reply::from(Err(panicked))
    });
    owed.answer(reply);
}

pub(crate) fn parse_request(json: &[u8]) -> Result<CompletionRequest, Failure> {
    // An error's text could quote the document; its position is enough.
    let request: CompletionRequest = serde_json::from_slice(json).map_err(|error| {
        Failure::invalid_request(format!(
            "the request isn't one that this plugin understands (line {}, column {})",
            error.line(),
            error.column()
        ))
    })?;
    if request.version > VERSION {
        return Err(Failure::invalid_request(format!(
            "the request is of version {}, this plugin understands {VERSION}",
            request.version
        )));
    }
    Ok(request)
}

unsafe extern "C" fn cancel(call: *mut c_void) {
    let _ = guard(|| {
        // SAFETY: `call` came from `start` and isn't released yet.
        if let Some(call) = unsafe { call.cast::<Cancel>().as_ref() } {
            call.cancel();
        }
    });
}

unsafe extern "C" fn call_release(call: *mut c_void) {
    if !call.is_null() {
        // SAFETY: `call` came from `start`, and this is the last use of it.
        let _ = guard(|| drop(unsafe { Arc::from_raw(call.cast::<Cancel>()) }));
    }
}
