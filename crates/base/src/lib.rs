//! The base of loopctl: values, the YAML they are written in, and problems in what people wrote.
//!
//! - [`value`]: JSON values, exact numbers and paths; YAML with a span on every node; declared mappings.
//! - [`diag`]: problems with a stable code, the span that each is about, and what to do about it.
//! - [`disk`]: files, which only this module opens for reading.
//! - [`library`]: profiles, rules, prompts and schemas by their names: in memory, on the disk, and those that ship.
//!
//! It is internal to loopctl: nothing of it is promised between versions.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

pub mod diag;
pub mod value;
#[expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "files are its matter")]
pub mod disk;
#[expect(clippy::disallowed_methods, reason = "looks declared files up")]
pub mod library;
