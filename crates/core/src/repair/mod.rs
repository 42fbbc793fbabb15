//! Text to JSON, and JSON closer to its schema: the part that costs nothing, before anyone pays for another attempt.
//!
//! [`salvage`] reads JSON that is not quite JSON; [`SchemaRepairer`] changes a value where its schema says how. [`Repairer`]
//! does both by what a profile allows. Everything done is a [`RepairStep`] with its reason and a JSON Patch.

mod answer;
mod envelope;
mod expected;
mod mend;
mod patch;
mod salvage;
mod shape;
mod step;

#[doc(hidden)]
pub use answer::{Answer, Expects, Fit, decide};
#[doc(hidden)]
pub use envelope::{EVIDENCE, EXTRACTION};
pub use mend::{MAX_REMAINING, MAX_STEPS, Repaired, Repairer};
pub use patch::{Operation, PatchError, apply};
#[doc(hidden)]
pub use salvage::{MAX_TEXT_BYTES, has_a_key_twice, without_thinking};
pub use salvage::{Reading, Salvaged, Unsalvageable, salvage, salvage_bytes};
pub use shape::{Remaining, SchemaRepairer, Shaped, Veto};
pub use step::{RepairKind, RepairStep, TextPosition};
