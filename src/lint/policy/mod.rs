//! Gates, acceptance, stop criteria, selection and review that do not do what they say (LC5).

use super::Subject;
use crate::diag::Problems;

/// Looks at what decides.
pub(super) fn look(_subject: Subject<'_>, _problems: &mut Problems) {}
