//! The SDK for provider plugins of loopctl.
//!
//! Implement [`DirectPlugin`] (you make the completion) or [`HttpCodec`] (you translate to and from a vendor's HTTP
//! API; the host does the network), and export it:
//!
//! ```
//! use loopctl_plugin_sdk::protocol::{Completion, CompletionRequest};
//! use loopctl_plugin_sdk::{Cancel, DirectPlugin, Failure, Value};
//!
//! struct Echo;
//!
//! impl DirectPlugin for Echo {
//!     fn open(_config: &Value) -> Result<Self, Failure> {
//!         Ok(Echo)
//!     }
//!     fn complete(&self, request: &CompletionRequest, _cancel: &Cancel) -> Result<Completion, Failure> {
//!         let last = request.messages.last().ok_or_else(|| Failure::invalid_request("no messages"))?;
//!         Ok(Completion { text: Some(last.content.clone()), ..Completion::default() })
//!     }
//! }
//!
//! loopctl_plugin_sdk::export_direct_plugin!(
//!     Echo,
//!     r#"{"name": "echo", "version": "0.1.0", "abi": {"major": 1, "minor": 0}, "kind": "direct"}"#
//! );
//! # fn main() {}
//! ```
//!
//! with `crate-type = ["cdylib"]` (and `rlib`, for tests) in `Cargo.toml`. Name the crate `loopctl-echo`, and the
//! host finds its library as provider `echo`.
//!
//! The macros take care of the rest: buffers, threads, exactly one answer per call, and a guard round every exported
//! function, so that a panic ends one call (and poisons its instance) but not the process. That needs
//! `panic = "unwind"`, the default.

mod batch;
mod cancel;
mod failure;
mod manifest;
mod boundary;
mod direct;
mod http;
mod guard;

pub mod codec;
pub mod markup;
pub mod protocol;
pub mod words;

pub use loopctl_plugin_abi as abi;
pub use serde_json::{self, Value};

pub use batch::BatchCodec;
pub use boundary::{Level, Linked, log};
pub use cancel::Cancel;
pub use direct::{DirectPlugin, Reply};
pub use failure::Failure;
pub use http::HttpCodec;

/// The items that the export macros expand to. Not for direct use.
#[doc(hidden)]
pub mod export {
    pub use crate::boundary::{accept_host, slice_of};
    pub use crate::direct::direct_table;
    pub use crate::http::http_table;
    pub use crate::manifest::{blob, blob_len};
}

/// Exports a [`DirectPlugin`]: `export_direct_plugin!(Type, MANIFEST)`, once, at the root of the crate. `MANIFEST` is
/// a constant `&str` of JSON ([`protocol::Manifest`]), as from `include_str!("../plugin.json")`.
///
/// All plugins export the same symbol, of which a program can have one. A plugin that a program links in beside others
/// declares a feature under which it exports none: `export_direct_plugin!(Type, MANIFEST, unless = "linked")`.
#[macro_export]
macro_rules! export_direct_plugin {
    ($plugin:ty, $manifest:expr $(, unless = $feature:tt)? $(,)?) => {
        $crate::__export_plugin!($plugin, $manifest, direct_table $(, $feature)?);
    };
}

/// Exports an [`HttpCodec`]: `export_http_plugin!(Type, MANIFEST)`, like [`export_direct_plugin!`].
#[macro_export]
macro_rules! export_http_plugin {
    ($plugin:ty, $manifest:expr $(, unless = $feature:tt)? $(,)?) => {
        $crate::__export_plugin!($plugin, $manifest, http_table $(, $feature)?);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __export_plugin {
    ($plugin:ty, $manifest:expr, $table:ident $(, $feature:tt)?) => {
        /// The plugin's manifest: JSON, the same bytes that are in its library.
        pub const LOOPCTL_MANIFEST: &str = $manifest;

        #[used]
        static LOOPCTL_MANIFEST_BLOB: [u8; $crate::export::blob_len(LOOPCTL_MANIFEST)] =
            $crate::export::blob(LOOPCTL_MANIFEST);

        static LOOPCTL_TABLE: $crate::abi::lc_plugin_v1 = $crate::export::$table::<$plugin>(
            $crate::export::slice_of(&LOOPCTL_MANIFEST_BLOB, LOOPCTL_MANIFEST),
        );

        /// This plugin, for a program that has it linked in.
        // SAFETY: the entry is the one below, made of the SDK's own functions.
        pub const LOOPCTL_PLUGIN: $crate::Linked = unsafe { $crate::Linked::new(loopctl_plugin_v1) };

        $crate::__entry! {
            $($feature)?;
            /// The one function that the library exports.
            ///
            /// # Safety
            /// `host` points to a table as `loopctl_plugin.h` describes it, which lives until the process ends.
            pub unsafe extern "C" fn loopctl_plugin_v1(
                host: *const $crate::abi::lc_host_v1,
            ) -> *const $crate::abi::lc_plugin_v1 {
                // SAFETY: the caller keeps the contract of the host's table.
                if unsafe { $crate::export::accept_host(host) } { &LOOPCTL_TABLE } else { ::core::ptr::null() }
            }
        }
    };
}

/// The entry, under the name that hosts look for, unless a feature of its crate is on.
#[doc(hidden)]
#[macro_export]
macro_rules! __entry {
    (; $($entry:tt)*) => { #[unsafe(no_mangle)] $($entry)* };
    ($feature:tt; $($entry:tt)*) => { #[cfg_attr(not(feature = $feature), unsafe(no_mangle))] $($entry)* };
}
