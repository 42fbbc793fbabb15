//! Profiles: the policy of a loop as a domain expert writes it, from YAML to a checked [`Profile`].
//!
//! [`load`] finds the file, follows `extends`, fills in `${VARIABLES}`, merges the layers (defaults, ancestors, the
//! profile, environment, flags) and checks the result. Each step reports everything that is wrong.

mod accept;
mod assess;
mod attach;
mod call;
mod candidate;
mod certify;
mod checked;
mod codes;
mod dispositions;
mod ensemble;
mod extends;
mod feedback;
mod ingest;
mod interpolate;
mod judge;
mod load;
mod mask;
mod measure_keys;
mod merge;
mod network;
mod outside;
mod overall;
mod overrides;
mod page_selection;
mod policy;
mod promises;
mod repair;
mod sections;
mod references;
mod scale;
mod stage;
mod unmasked;
mod value_questions;

#[doc(hidden)]
pub use crate::library::{FileTracker, MAX_FILE_BYTES, Reached, nearby, read_text_below};
pub use crate::library::{Files, Library, read_text_file};
pub use crate::stop::{
    Baseline, Budget, Criterion, MinImprovement, Oscillation, ScriptCriterion, Stagnation, StopCriteria,
    Waiting,
};
#[doc(hidden)]
pub use crate::value::declare::DEFAULTS_NAME;
pub use accept::{Accept, Threshold};
#[doc(hidden)]
pub use accept::{
    AcceptCondition, CONDITIONS, Concerns, ConditionSet, DOCUMENT_TYPE_UNKNOWN, DOCUMENT_UNSEEN,
    PLACEHOLDER_VALUE,
};
pub use assess::{Counts, Dimension, Grounding, Measure, SecondSource, SecondTier, Ties};
pub use attach::{Attach, AttachedPages};
pub use call::{Author, Call, Options, ProviderChoice};
pub use candidate::{CandidateKind, OnPreExisting};
pub use certify::{Among, Certify, Grid, Looks, Per, Share};
pub use checked::Profile;
pub use codes::SchemaCodes;
#[doc(hidden)]
pub use codes::check_code;
pub use dispositions::Dispositions;
pub use ensemble::{Combine, Disagreement, Weight};
#[doc(hidden)]
pub use extends::{Heirs, chain as extends_chain};
pub use feedback::{Feedback, Lock, PreviousOutput};
pub use ingest::{Above, Below, GateStep, Ingest, Ocr, OcrEngine, OcrUse, PageGate};
pub use interpolate::Environment;
#[doc(hidden)]
pub use interpolate::{has_variable, secret_word};
#[doc(hidden)]
pub use judge::{ANSWERED_BY_CASE, NO_PROVIDER};
pub use judge::{AfterRetries, Asked, Judge, OnFailure, Sees, Unasked, Validator};
pub use load::{Loaded, available, defaults_text, load};
#[doc(hidden)]
pub use load::{Settings, checked as check_settings, defaults, file_of, settings};
pub use mask::Mask;
#[doc(hidden)]
pub use merge::merge_mappings;
pub use network::{BatchUse, Breaker, HostPattern, Limits, Network, Proxy, RetryBudget};
#[doc(hidden)]
pub use outside::{Outside, OutsideKind, outside_of};
pub use overall::Overall;
pub use overrides::Override;
pub use page_selection::PageSelection;
pub use policy::{
    Gate, IssueKind, LoopPolicy, OnEscalate, OnGateMiss, OnRegression, Returned, Select, SelectKey, Target,
};
pub use promises::{DeclaredPromise, PromiseFile, ShippedPromise};
#[doc(hidden)]
pub use references::ALL_STAGES;
pub use repair::Repair;
pub use scale::Scale;
pub use sections::{MergeRule, MergeSettings, SectionSettings};
pub use stage::{ContextLimits, Stage, StageEvidence};
#[doc(hidden)]
pub use unmasked::Unmasked;
#[doc(hidden)]
pub use value_questions::MOST_VALUES;
pub use value_questions::{ValueQuestions, ValueVerdict, VerdictWords};
