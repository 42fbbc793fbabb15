//! Profiles: the policy of a loop as a domain expert writes it, from YAML to a checked [`Profile`].
//!
//! [`load`] finds the file, follows `extends`, fills in `${VARIABLES}`, lays the layers over each other (defaults,
//! ancestors, the profile, environment, flags) and checks the result. Each step reports everything that is wrong.

mod assess;
mod checked;
mod files;
mod interpolate;
mod load;
mod merge;
mod overrides;
mod policy;
mod repair;

pub use assess::{Dimension, Grounding, Measure, Overall, Ties};
pub use checked::{Feedback, Options, Profile, Stage};
pub use files::{Files, Library, MAX_FILE_BYTES, read_text_file};
pub use interpolate::Environment;
pub use load::{Loaded, available, load};
pub use overrides::Override;
pub use policy::{
    Accept, Baseline, Budget, Gate, IssueKind, LoopPolicy, MinImprovement, OnEscalate, OnGateMiss,
    OnRegression, Oscillation, Returned, Select, SelectKey, Stagnation, StopCriteria, Target,
};
pub use repair::Repair;
