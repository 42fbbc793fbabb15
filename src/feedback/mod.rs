//! What a correction is told: issues and history in, the next request out.

mod hints;
mod model;
mod template;

pub use hints::hint;
pub use model::{Correction, Finding, Guidance};
pub use template::{Role, Template, Templates};
