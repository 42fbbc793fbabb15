//! The feedback of a correction: issues and history in, the next request out.

mod data_lines;
mod hints;
#[doc(hidden)]
pub mod lock;
mod model;
mod names;
mod passages;
mod previous;
mod shape;
#[cfg(test)]
mod shipped;
mod template;
mod unclosed;
mod variables;

#[doc(hidden)]
pub use hints::hint;
pub use model::Correction;
#[doc(hidden)]
pub use model::{Finding, Guidance};
pub use passages::Passages;
pub use template::{Template, Templates};
#[doc(hidden)]
pub use variables::{AskedValue, JudgeVariables, Passage, Role, StageVariables, ValueVariables};
