//! Plugins that translate to and from a vendor's HTTP API. The host does the network.
#![expect(unsafe_code, reason = "implements the exported functions")]

use std::ffi::c_void;
use std::mem::size_of;

use loopctl_plugin_abi::{
    LC_ABI_MAJOR, LC_ABI_MINOR, LC_BATCH, LC_DECODE, LC_ENCODE, LC_MAX_OUTPUT, LC_OK, lc_buf, lc_plugin_v1,
    lc_slice, lc_status,
};
use serde::Serialize;
use serde_json::Value;

use crate::Failure;
use crate::batch::{BatchCodec, answer};
use crate::boundary::{Instance, bytes, close_instance, error_body, open_instance, put};
use crate::direct::parse_request;
use crate::guard::guard;
use crate::protocol::{Completion, CompletionRequest, HttpRequest, HttpResponse};

/// A vendor's HTTP API. Both directions are pure: no clock, no network, nothing kept between calls, back at once.
pub trait HttpCodec: Sized + Send + Sync + 'static {
    /// Makes an instance from the profile's configuration, `{}` if there is none.
    ///
    /// # Errors
    /// [`Failure::invalid_config`] when a user has to change the configuration.
    fn open(config: &Value) -> Result<Self, Failure>;

    /// The HTTP request that asks for this completion.
    ///
    /// # Errors
    /// [`Failure::invalid_request`] when the vendor's API can't express it.
    fn encode(&self, request: &CompletionRequest) -> Result<HttpRequest, Failure>;

    /// Interprets the server's answer, whatever its status.
    ///
    /// # Errors
    /// The reason that the server gave.
    fn decode(&self, response: &HttpResponse) -> Result<Completion, Failure>;

    /// The vendor's batch API, for plugins with the capability [`BATCH`](crate::protocol::BATCH).
    fn batch(&self) -> Option<&dyn BatchCodec> {
        None
    }
}

/// The table of an HTTP codec.
pub const fn http_table<P: HttpCodec>(manifest: lc_slice) -> lc_plugin_v1 {
    lc_plugin_v1 {
        size: size_of::<lc_plugin_v1>(),
        abi_major: LC_ABI_MAJOR,
        abi_minor: LC_ABI_MINOR,
        manifest,
        open: Some(open::<P>),
        call: Some(call::<P>),
        start: None,
        cancel: None,
        call_release: None,
        close: Some(close_instance::<P>),
    }
}

unsafe extern "C" fn open<P: HttpCodec>(
    config: lc_slice,
    inst: *mut *mut c_void,
    err: *mut lc_buf,
) -> lc_status {
    // SAFETY: the host keeps the contract.
    unsafe { open_instance::<P>(config, inst, err, P::open) }
}

unsafe extern "C" fn call<P: HttpCodec>(
    inst: *mut c_void,
    op: u32,
    input: lc_slice,
    out: *mut lc_buf,
) -> lc_status {
    // SAFETY: `inst` came from `open::<P>` and isn't closed while a call runs.
    let instance = unsafe { inst.cast::<Instance<P>>().as_ref() };
    let outcome = guard(|| {
        let instance = instance.ok_or_else(|| Failure::invalid_request("no instance"))?;
        instance.usable()?;
        // SAFETY: the host lends the slice for this call.
        let input = unsafe { bytes(input)? };
        match op {
            LC_ENCODE => sendable(to_json(&instance.plugin.encode(&parse_request(input)?)?)?),
            LC_DECODE => {
                let response = serde_json::from_slice(input).map_err(|_| {
                    Failure::invalid_request("the HTTP response isn't one that this plugin understands")
                })?;
                to_json(&instance.plugin.decode(&response)?)
            }
            LC_BATCH => match instance.plugin.batch() {
                Some(codec) => sendable(answer(codec, input)?),
                None => Err(unknown(op)),
            },
            other => Err(unknown(other)),
        }
    });
    let outcome = outcome.unwrap_or_else(|panicked| {
        if let Some(instance) = instance {
            instance.poison();
        }
        Err(panicked)
    });
    let (status, body) = match outcome {
        Ok(body) => (LC_OK, body),
        Err(failure) => (failure.status, error_body(&failure)),
    };
    // SAFETY: as the contract has it.
    unsafe { put(out, body) };
    status
}

fn unknown(op: u32) -> Failure {
    Failure::invalid_request(format!("this plugin has no operation {op}"))
}

/// An HTTP request that the host takes. Checked here, where it is known that the request is what is too
/// large.
fn sendable(request: Vec<u8>) -> Result<Vec<u8>, Failure> {
    if request.len() > LC_MAX_OUTPUT {
        return Err(Failure::invalid_request(format!(
            "the HTTP request would have {} bytes, more than the {LC_MAX_OUTPUT} that the host takes",
            request.len()
        )));
    }
    Ok(request)
}

pub(crate) fn to_json(payload: &impl Serialize) -> Result<Vec<u8>, Failure> {
    serde_json::to_vec(payload)
        .map_err(|error| Failure::permanent(format!("the answer can't be written as JSON: {error}")))
}
