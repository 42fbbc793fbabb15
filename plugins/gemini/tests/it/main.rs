//! The codec's promises, tested through its public API.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail the test"
)]

mod batch;
#[path = "../../../sdk/tests/codec/mod.rs"]
mod codec;
mod decode;
mod encode;
mod response_schema;
#[path = "../../../sdk/tests/schemas/mod.rs"]
mod schemas;

use loopctl_gemini::Gemini as Codec;
